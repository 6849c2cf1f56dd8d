import { describe, expect, it } from 'vitest';
import { createNodeHost } from '../../../lib/host/node/node-host.js';
import { StateTooLargeError } from '../../../lib/model/errors.js';
import { taskId } from '../../../lib/model/task-id.js';
import { StateBudget } from '../../../lib/runtime/state-budget.js';
import { type LoggedEvent, listeningLogger } from '../../support/listening-logger.js';
import { refusalOf } from '../../support/refusal-of.js';

const FIRST = taskId(0, 0);
const SECOND = taskId(0, 1);

function budgetOf(budgetBytes: number | null) {
  const events: LoggedEvent[] = [];
  const { metrics } = createNodeHost();
  return { budget: new StateBudget({ budgetBytes, logger: listeningLogger(events), metrics }), events };
}

const claim = (bytes: number, task = SECOND) => ({ taskId: task, store: 'counts', bytes, basis: 'measured' as const });

describe('the budget of state of a member', () => {
  it('refuses a task that does not fit beside the others, with task, store and numbers', () => {
    const { budget } = budgetOf(1_000);
    budget.hold(FIRST, 600);

    budget.check(claim(400));

    expect(refusalOf(() => budget.check(claim(401)))).toBe(
      'STREAMS_STATE_TOO_LARGE: store counts of 0_1 takes 401 bytes at least, beside 600 of other tasks: 1000 are allowed',
    );
    expect(budget.report()).toEqual([
      {
        ...{ taskId: SECOND, store: 'counts', basis: 'measured' },
        estimatedBytes: 401,
        otherBytes: 600,
        budgetBytes: 1_000,
      },
    ]);
  });

  it('counts what is being restored beside a task as it grows', () => {
    const { budget } = budgetOf(1_000);
    budget.check(claim(700, FIRST));

    expect(() => budget.check(claim(400))).toThrow(StateTooLargeError);
  });

  it('does not read again what it knows not to fit, until there is room', () => {
    const { budget } = budgetOf(1_000);
    budget.hold(FIRST, 600);
    expect(() => budget.check(claim(500))).toThrow(StateTooLargeError);

    expect(() => budget.admit(SECOND)).toThrow(StateTooLargeError);
    budget.drop(FIRST);

    expect(() => budget.admit(SECOND)).not.toThrow();
  });

  it('reports what it has refused until that fits, or is another member’s', () => {
    const { budget } = budgetOf(1_000);
    expect(() => budget.check(claim(2_000))).toThrow(StateTooLargeError);
    expect(() => budget.check(claim(3_000, FIRST))).toThrow(StateTooLargeError);

    budget.keepOnly(new Set([SECOND]));
    expect(budget.report()).toMatchObject([{ taskId: SECOND, estimatedBytes: 2_000 }]);
    budget.hold(SECOND, 900);

    expect(budget.report()).toEqual([]);
  });

  it('warns once before it is used up, and again after it was over', () => {
    const { budget, events } = budgetOf(1_000);

    for (const bytes of [700, 800, 900, 600, 850]) budget.hold(FIRST, bytes);

    expect(events.map(({ event }) => event)).toEqual(['state-near-limit', 'state-near-limit']);
    expect(events[0]?.fields).toMatchObject({ heldBytes: 800, budgetBytes: 1_000 });
  });

  it('without a number refuses nothing', () => {
    const { budget } = budgetOf(null);

    expect(() => budget.check(claim(Number.MAX_SAFE_INTEGER))).not.toThrow();
  });
});
