import { describe, expect, it } from 'vitest';
import { InternalError, ProcessingError, type StreamsError, UnavailableError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { judgeUncaught, type Verdict } from '../../../lib/runtime/uncaught.js';
import { defineApp } from '../../../lib/topology/app.js';
import type { UncaughtException, UncaughtResponse } from '../../../lib/topology/uncaught-exceptions.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { countingTopology } from '../../support/task-world.js';

const TASK = taskId(0, 0);
const wrong = new ProcessingError('wrong');

function judge(
  answer: UncaughtResponse | ((uncaught: UncaughtException) => UncaughtResponse) | undefined,
  {
    error = wrong,
    task = TASK as typeof TASK | null,
    failingForMs = 0,
  }: { error?: StreamsError; task?: typeof TASK | null; failingForMs?: number } = {},
  events: LoggedEvent[] = [],
): Verdict {
  const app = defineApp({
    applicationId: 'app',
    topology: countingTopology(),
    settings: { taskTimeoutMs: 1_000, ...(typeof answer === 'string' ? { uncaughtExceptionHandler: answer } : {}) },
    ...(typeof answer === 'function' ? { handlers: { uncaught: answer } } : {}),
  });
  return judgeUncaught(app, listeningLogger(events), { error, taskId: task, failingForMs });
}

describe('an error that nobody caught', () => {
  it('has its task taken again unless something else is set, so that the tasks beside it run on', () => {
    expect(judge(undefined)).toBe('replace-task');
  });

  it.each<[UncaughtResponse, Verdict]>([
    ['replaceThread', 'replace-task'],
    ['shutdownClient', 'shut-down-client'],
    ['shutdownApplication', 'shut-down-application'],
  ])('of a task is answered by the setting: %s', (setting, verdict) => {
    expect(judge(setting)).toBe(verdict);
  });

  it.each<[string, { error?: StreamsError; task?: null }]>([
    ['of the engine', { error: new InternalError('a rule was broken') }],
    ['of a global store', { task: null }],
  ])('%s ends at least its member', (_, uncaught) => {
    expect(judge('replaceThread', uncaught)).toBe('end-member');
    expect(judge('shutdownApplication', uncaught)).toBe('shut-down-application');
  });

  it('is told to the handler with the task and the error, and the setting is not asked', () => {
    const asked: UncaughtException[] = [];
    const verdict = judge((uncaught) => {
      asked.push(uncaught);
      return 'replaceThread';
    });

    expect(verdict).toBe('replace-task');
    expect(asked).toEqual([{ taskId: '0_0', error: wrong }]);
  });

  it('that may pass is asked about only when it has lasted for the task time-out', () => {
    const away = new UnavailableError('away');
    const asked: string[] = [];
    const handler = ({ error }: UncaughtException): UncaughtResponse => {
      asked.push(error.code);
      return 'shutdownClient';
    };

    expect(judge(handler, { error: away, failingForMs: 999 })).toBe('replace-task');
    expect(asked).toEqual([]);
    expect(judge(handler, { error: away, failingForMs: 1_000 })).toBe('shut-down-client');
  });

  it.each<[string, () => UncaughtResponse]>([
    [
      'throws',
      () => {
        throw new Error('me too');
      },
    ],
    ['answers nothing', () => undefined as unknown as UncaughtResponse],
  ])('shuts the client down where the handler %s, and says so', (_, handler) => {
    const events: LoggedEvent[] = [];

    expect(judge(handler, {}, events)).toBe('shut-down-client');
    expect(events.map(({ event }) => event)).toEqual(['uncaught-handler-failed', 'uncaught-exception']);
  });
});
