import { createStandbyHandler } from '../lib/lambda/index.js';
import app from './app.js';

export const handler = createStandbyHandler(app);
