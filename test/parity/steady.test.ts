/** `steady` beside Kafka Streams' assignor: every recorded case played to its rest by both. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { highAvailability } from '../../lib/assignment/high-availability/high-availability.js';
import { steady } from '../../lib/assignment/steady/steady.js';
import { validateAssignment } from '../../lib/assignment/validate-assignment.js';
import { type AssignmentCase, inputOf } from './assignment-input.js';
import { play, recordingOf } from './assignment-replay.js';
import { recordOf, worseThan } from './placement-record.js';

/**
 * Where it is worse in something, and what it gets for it. Of members of different sizes it aims at what no move improves,
 * where Kafka Streams stops earlier; zones are paid for in warm-ups.
 */
const EXCEPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // 5 tasks on capacities 3 and 1 …: the busiest has 5/3 of a task per capacity instead of 2, for one warm-up more.
  'random-05.json': { 'stable at': '3 > 2' },
  // One of 2 tasks goes from capacity 2 to an empty 3: 1/3 instead of 1/2.
  'random-21.json': { moves: '1 > 0', 'stable at': '2 > 1' },
  // A standby goes from capacity 1 to an empty 3: 1/3 instead of 1.
  'random-37.json': { 'stable at': '2 > 0' },
  // The only task goes from capacity 1 to an empty 3: 1/3 instead of 1.
  'random-50101.json': { moves: '1 > 0', 'stable at': '1 > 0' },
  // Actives stay on other members than there, so standbys find others: 2 on capacity 1, and nothing to lessen by moving one.
  'random-18.json': { 'most standbys': '2 > 1' },
  // 5 standbys on a member of capacity 1 keep each task's copies apart; there 3 tasks have two copies in one zone.
  'random-50610.json': { 'most standbys': '5 > 4' },
  // 12 standbys by two tags on 8 members: no single one can move without two copies of a task in one zone or cluster.
  'tags-two-dimensions.json': { 'most standbys': '3 > 2' },
  // 3 moves instead of 4, and one warm-up more for standbys on their way to nearer zones.
  'rack-min_traffic-3.json': { 'stable at': '5 > 4' },
  // 9 moves instead of 11 and 20 partitions across zones instead of 22, for two steps more.
  'rack-min_traffic-5.json': { 'stable at': '11 > 9' },
};

const folder = fileURLToPath(new URL('./cases/assignment/', import.meta.url));
const cases = readdirSync(folder).map((file) => ({
  file,
  json: JSON.parse(readFileSync(folder + file, 'utf8')) as AssignmentCase,
}));
const known = cases.filter(({ json }) =>
  recordingOf(json).steps.every(({ assignor }) => assignor === 'HighAvailability'),
);
const sequences = known.filter(({ json }) => 'steps' in json);

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

const playedBy = (assignor: typeof steady, json: AssignmentCase) => {
  const { steps, catchUpPerStep } = recordingOf(json);
  return play(steps, catchUpPerStep, assignor, highAvailability.assign);
};

describe('a sequence', () => {
  it.each(sequences)('plays as it was recorded: $file', ({ json }) => {
    const { steps } = playedBy(highAvailability, json);

    const membersOf = ({ input }: { input: ReturnType<typeof inputOf> }) =>
      input.members
        .map(({ id, previousActive, lags }) => ({ id, active: [...previousActive].sort(), lags }))
        .sort(byId);
    const recorded = recordingOf(json).steps.map((step) => ({ input: inputOf(step) }));
    expect(steps.map(membersOf)).toEqual(recorded.map(membersOf));
  });
});

describe('steady', () => {
  it.each(known)('is no worse in anything than Kafka Streams, or known to be and why: $file', ({ file, json }) => {
    const ours = playedBy(steady, json);
    for (const { input, placement } of ours.steps) validateAssignment('steady', input, placement);

    expect(worseThan(recordOf(ours), recordOf(playedBy(highAvailability, json)))).toEqual(EXCEPTIONS[file] ?? {});
  });

  it('comes to rest in fewer steps and moves than Kafka Streams over all sequences', () => {
    const total = (assignor: typeof steady) => {
      const records = sequences.map(({ json }) => recordOf(playedBy(assignor, json)));
      const sum = (of: (record: (typeof records)[number]) => number) =>
        records.reduce((all, record) => all + of(record), 0);
      return {
        moves: sum(({ moves }) => moves),
        steps: sum(({ stableAt }) => stableAt),
        restores: sum((r) => r.restores),
      };
    };

    // The figures of decision 28.
    expect({ steady: total(steady), highAvailability: total(highAvailability) }).toMatchInlineSnapshot(`
      {
        "highAvailability": {
          "moves": 137,
          "restores": 0,
          "steps": 109,
        },
        "steady": {
          "moves": 54,
          "restores": 0,
          "steps": 68,
        },
      }
    `);
  });

  it.each(sequences.filter(({ file }) => file.startsWith('scale-out-abc-plus-d')))(
    'moves exactly 3 of 12 tasks when D joins A, B and C: $file',
    ({ json }) => {
      expect(recordOf(playedBy(steady, json)).moves).toBe(3);
    },
  );

  it.each(cases.filter((one) => !known.includes(one)))(
    'leaves what runs where it is without lags: $file',
    ({ json }) => {
      const [step] = recordingOf(json).steps;
      if (step === undefined) throw new Error('no step');
      const input = inputOf(step);

      const { members, followUp } = steady.assign(input);

      validateAssignment('steady', input, { members, followUp });
      for (const { id, previousActive } of input.members)
        expect(members.get(id)?.active).toEqual(expect.arrayContaining([...previousActive]));
      expect(followUp).toBe(true);
    },
  );
});
