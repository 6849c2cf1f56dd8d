import { createTaskHandler } from '../lib/lambda/index.js';
import app from './app.js';

export const handler = createTaskHandler(app);
