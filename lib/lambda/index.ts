/** The public entry `millrace/lambda`: handlers of the four functions. */
export { awsPorts } from './aws-ports.js';
export type { Environment } from './environment.js';
export type { HttpResponse } from './http-response.js';
export type { FunctionPorts, InvocationListener } from './invocation.js';
export type { LambdaContext } from './lambda-context.js';
export type { PortsFactory } from './ports-from-environment.js';
export { createQueryHandler, type QueryHandlerOptions } from './query-handler.js';
export { createSchedulerHandler, type SchedulerHandlerOptions, type SchedulerResult } from './scheduler-handler.js';
export { createStandbyHandler } from './standby-handler.js';
export { createTaskHandler } from './task-handler.js';
export type { HandlerOptions } from './warm-start.js';
