import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../lib/leases/records.js';
import { decide } from '../../../lib/scheduler/decide.js';
import { createPrecedence, HOLDS_BACK_MS, settingsDigestOf } from '../../../lib/scheduler/precedence.js';
import { countingApp } from '../../support/control-plane-world.js';
import { createTestHost } from '../../support/test-host.js';

const OURS = 'ours';

const plan = (number: number, settingsDigest?: string): Plan => ({
  number,
  createdAtMs: 0,
  reason: 'test',
  assignor: 'steady',
  assignment: { 'member-1': { active: [], standby: [], warmup: [] } },
  dead: [],
  partitions: {},
  ...(settingsDigest === undefined ? {} : { settingsDigest }),
});

const seeing = (newest: Plan | null, planAgeMs = 0, settingsDigest = OURS) => ({
  plan: newest,
  planAgeMs,
  settingsDigest,
});

describe('a scheduler beside one of other settings', () => {
  it('plans by its own settings until a tick of its has gone through', () => {
    const precedence = createPrecedence();

    const answers = [plan(4, 'theirs'), plan(5, 'theirs'), plan(6, 'theirs')].map((newest) =>
      precedence.holdsBack(seeing(newest)),
    );

    expect(answers).toEqual([false, false, false]);
  });

  it('holds back once a newer plan was made by others, who have begun later', () => {
    const precedence = createPrecedence();
    precedence.holdsBack(seeing(plan(4, 'theirs')));
    precedence.noteBegun(4);

    expect(precedence.holdsBack(seeing(plan(4, 'theirs')))).toBe(false);
    expect(precedence.holdsBack(seeing(plan(5, 'theirs')))).toBe(true);
    precedence.noteBegun(5);
    expect(precedence.holdsBack(seeing(plan(5, 'theirs')))).toBe(true);
    expect(precedence.holdsBack(seeing(plan(6, OURS)))).toBe(false);
  });

  it('takes a plan of its settings for its beginning, though it has not heard that it was written', () => {
    const precedence = createPrecedence();
    precedence.holdsBack(seeing(plan(5, OURS)));

    expect(precedence.holdsBack(seeing(plan(6, 'theirs')))).toBe(true);
  });

  it('takes a plan of an older version, which names no settings, for one of others', () => {
    const precedence = createPrecedence();
    precedence.holdsBack(seeing(null));
    precedence.noteBegun(null);

    expect(precedence.holdsBack(seeing(plan(1)))).toBe(true);
  });

  it('holds back no longer than one plan stands for a minute', () => {
    const precedence = createPrecedence();
    precedence.holdsBack(seeing(plan(4, OURS)));

    expect(precedence.holdsBack(seeing(plan(5, 'theirs'), HOLDS_BACK_MS - 1))).toBe(true);
    expect(precedence.holdsBack(seeing(plan(5, 'theirs'), HOLDS_BACK_MS))).toBe(false);
  });

  it('begins anew when its own settings change', () => {
    const precedence = createPrecedence();
    precedence.holdsBack(seeing(plan(4, OURS)));
    expect(precedence.holdsBack(seeing(plan(5, 'theirs')))).toBe(true);

    expect(precedence.holdsBack(seeing(plan(5, 'theirs'), 0, 'changed'))).toBe(false);
  });
});

describe('the digest of settings', () => {
  const { digest } = createTestHost();

  it('is the same for the same settings, and another for another number of members, assignor or setting', () => {
    const of = (settings: Parameters<typeof countingApp>[0], wanted = 2, assignor = 'steady') =>
      settingsDigestOf(countingApp(settings), wanted, assignor, digest);

    expect(of({})).toBe(of({}));
    expect(new Set([of({}), of({}, 3), of({}, 2, 'sticky'), of({ numStandbyReplicas: 1 })]).size).toBe(4);
  });
});

describe('a tick that holds back', () => {
  const state = (holdsBack: boolean, newest: Plan): Parameters<typeof decide>[0] => {
    const app = countingApp();
    return {
      app,
      assignor: { name: 'none', assign: () => ({ members: new Map(), followUp: false }) },
      wanted: Object.keys(newest.assignment).length,
      load: null,
      weights: new Map(),
      heavy: null,
      tickReason: 'test',
      failed: [],
      resume: false,
      nowMs: 0,
      members: [],
      leases: [],
      plan: newest,
      planAgeMs: 0,
      settingsDigest: OURS,
      holdsBack,
      topics: new Map([['lines', { name: 'lines', partitions: 2, config: {}, topicId: 'lines' }]]),
      invocations: new Map(),
      inputs: new Map(),
      changelogs: null,
      standbyAges: new Map(),
      releasedAges: new Map(),
    };
  };

  it('asks no assignor, and starts the members of the newest plan', () => {
    const { actions, rejected } = decide(state(true, plan(5, 'theirs')));

    expect(rejected).toBe(null);
    expect(actions.map(({ type }) => type).filter((type) => type !== 'CreateInternalTopic')).toEqual([
      'CreateSlot',
      'AnnouncePlan',
      'InvokeMember',
    ]);
    expect(decide(state(false, plan(5, 'theirs'))).rejected).not.toBe(null);
  });
});
