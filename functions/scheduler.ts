import { createSchedulerHandler } from '../lib/lambda/index.js';
import app from './app.js';

export const handler = createSchedulerHandler(app);
