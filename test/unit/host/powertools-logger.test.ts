import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createPowertoolsLogger } from '../../../lib/host/powertools/powertools-logger.js';
import { ProcessingError } from '../../../lib/model/errors.js';
import { captureLines } from '../../support/captured-lines.js';

// Lambda says so of environments that it makes for an invocation: only those can start cold.
beforeEach(() => {
  vi.stubEnv('AWS_LAMBDA_INITIALIZATION_TYPE', 'on-demand');
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const first = {
  awsRequestId: 'request-1',
  functionName: 'millrace-dev-task',
  invokedFunctionArn: 'arn:task',
  memoryLimitInMB: '1769',
};

it('a line tells the application, the function, its request, and what its loggers add', () => {
  const lines = captureLines();
  const logger = createPowertoolsLogger({ applicationId: 'word-count' });
  logger.startInvocation(first);

  logger
    .child({ memberId: 'member-1' })
    .child({ taskId: '0_3' })
    .info('restore-started', { store: 'counts', size: 2n });

  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    level: 'INFO',
    message: 'restore-started',
    service: 'word-count',
    applicationId: 'word-count',
    function_name: 'millrace-dev-task',
    function_request_id: 'request-1',
    cold_start: true,
    memberId: 'member-1',
    taskId: '0_3',
    store: 'counts',
    size: '2',
  });
});

it('children of an earlier invocation write the request of the present one, which did not start cold', () => {
  const lines = captureLines();
  const logger = createPowertoolsLogger({ applicationId: 'word-count' });
  logger.startInvocation(first);
  const child = logger.child({ role: 'kept' });
  child.info('one');

  logger.startInvocation({ ...first, awsRequestId: 'request-2' });
  child.info('two');

  expect(lines.map((line) => [line.role, line.function_request_id, line.cold_start])).toEqual([
    ['kept', 'request-1', true],
    ['kept', 'request-2', false],
  ]);
});

it('the plan is on every line after the first that tells it, until the next invocation', () => {
  const lines = captureLines();
  const logger = createPowertoolsLogger({ applicationId: 'word-count' });
  logger.startInvocation(first);
  logger.child({ memberId: 'member-1' }).info('member-claimed', { planNumber: 4 });
  logger.child({ taskId: '0_0' }).info('task-taken');
  logger.info('plan-announced', { planNumber: 5 });
  logger.child({ taskId: '0_0' }).info('task-released');
  logger.startInvocation(first);
  logger.info('idle');

  expect(lines.map((line) => line.planNumber)).toEqual([4, 4, 5, 5, undefined]);
});

it('a message beside an event is kept, and a field that can not be written loses only itself', () => {
  const lines = captureLines();
  const logger = createPowertoolsLogger({ applicationId: 'word-count' });
  /** Throws when it is written. */
  const hostile = { toJSON: () => decodeURIComponent('%') };
  logger.warn('restore-failed', { code: 'STREAMS_SNAPSHOT_CORRUPTED', message: 'torn' });

  logger.error('odd', { hostile, plain: 1 });

  expect(lines[0]).toMatchObject({ level: 'WARN', message: 'restore-failed', errorMessage: 'torn' });
  expect(lines[1]).toMatchObject({ level: 'ERROR', message: 'odd', fields: ['hostile', 'plain'] });
  expect(lines).toHaveLength(2);
});

it('the line of an error has the stack of what was thrown first', () => {
  const lines = captureLines();
  const logger = createPowertoolsLogger({ applicationId: 'word-count' });
  const thrown = new TypeError('no object');

  logger
    .child({ taskId: '0_3' })
    .error('task-failed', { reason: null }, new ProcessingError('node a', { cause: thrown }));

  expect(lines[0]).toMatchObject({ message: 'task-failed', taskId: '0_3', stack: thrown.stack });
});
