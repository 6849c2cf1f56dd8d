import { createQueryHandler } from '../lib/lambda/index.js';
import app from './app.js';

export const handler = createQueryHandler(app, { stores: ['counts'] });
