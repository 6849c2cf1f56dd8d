import { createQueryHandler } from '../lib/lambda/index.js';
import app, { queryStores } from './app.js';

export const handler = createQueryHandler(app, { stores: queryStores });
