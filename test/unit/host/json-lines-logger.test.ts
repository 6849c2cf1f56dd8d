import { describe, expect, it } from 'vitest';
import { createJsonLinesLogger, type LogLevel } from '../../../lib/host/node/json-lines-logger.js';
import { ProcessingError, TaskMigratedError } from '../../../lib/model/errors.js';

function recorded(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const logger = createJsonLinesLogger({
    level,
    sink: { write: (line) => lines.push(line) },
    now: () => 1_700_000_000_000,
  });
  return { logger, lines, parsed: () => lines.map((line) => JSON.parse(line) as Record<string, unknown>) };
}

describe('a logger of JSON lines', () => {
  it('writes one object a line, with time, level and event first', () => {
    const { logger, lines } = recorded();

    logger.info('restore-started', { taskId: '0_3', lagRecords: 5 });

    expect(lines).toEqual([
      '{"at":"2023-11-14T22:13:20.000Z","level":"info","event":"restore-started","taskId":"0_3","lagRecords":5}\n',
    ]);
  });

  it.each([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['silent', []],
  ] as const)('of level %s writes %j', (level, written) => {
    const { logger, parsed } = recorded(level);

    for (const one of ['debug', 'info', 'warn', 'error'] as const) logger[one]('event');

    expect(parsed().map((line) => line.level)).toEqual(written);
  });

  it('gives its fields to its children, which may override them', () => {
    const { logger, parsed } = recorded();

    logger.child({ memberId: 'member-1', taskId: '0_1' }).child({ taskId: '0_2' }).warn('event', { n: 1 });

    expect(parsed()[0]).toMatchObject({ memberId: 'member-1', taskId: '0_2', n: 1 });
  });

  it('keeps level and event from being overwritten by fields', () => {
    const { logger, parsed } = recorded();

    logger.error('real', { level: 'debug', event: 'other', at: 'never' });

    expect(parsed()[0]).toEqual({ at: '2023-11-14T22:13:20.000Z', level: 'error', event: 'real' });
  });

  it('writes errors with code, details and causes', () => {
    const { logger, parsed } = recorded();
    const error = new TaskMigratedError('gone', { cause: new Error('deeper'), details: { taskId: '0_3' } });

    logger.error('task-failed', { error });

    expect(parsed()[0]?.error).toMatchObject({
      name: 'TaskMigratedError',
      message: 'gone',
      code: 'STREAMS_TASK_MIGRATED',
      kind: 'fenced',
      details: { taskId: '0_3' },
      cause: { name: 'Error', message: 'deeper' },
    });
  });

  it('writes the stack of what was thrown first beside the fields', () => {
    const { logger, parsed } = recorded();
    const thrown = new TypeError('no object');

    logger.error(
      'task-failed',
      { code: 'STREAMS_PROCESSING_FAILED' },
      new ProcessingError('in node a', { cause: thrown }),
    );
    logger.error('task-failed', {}, new ProcessingError('in node a', { cause: 'a text' }));

    expect(parsed()[0]).toMatchObject({ code: 'STREAMS_PROCESSING_FAILED', stack: thrown.stack });
    expect(parsed()[1]).not.toHaveProperty('stack');
  });

  it('never throws: what JSON cannot hold is written as well as it can be', () => {
    const { logger, parsed } = recorded();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const looped = new Error('looped');
    looped.cause = looped;

    logger.info('values', { big: 2n ** 60n, map: new Map([['a', 1]]), set: new Set([1]) });
    logger.info('circle', { circle });
    logger.info('looped', { looped });

    const [values, circular, loop] = parsed();
    expect(values).toMatchObject({ big: '1152921504606846976', map: { a: 1 }, set: [1] });
    expect(circular).toMatchObject({ event: 'circle', fields: ['circle'] });
    expect(loop?.event).toBe('looped');
  });
});
