/** Reads of an application's stores from outside: `millrace/query`. */
export { type QueryAnswer, type QueryOptions, QueryService, type QueryServiceInit, queryKey } from './query-service.js';
