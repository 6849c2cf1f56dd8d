/** Random cases, answered by Kafka Streams and by this library. */
import type { CaseTopology } from '../build-topology.js';
import { type RandomCase, type RandomKind, type RandomKindName, randomKinds } from './random-kind.js';
import { type Answered, ReferenceProcess } from './reference-process.js';
import { shrink } from './shrink.js';
import { topicsOf } from './smaller-topology.js';

/** Errors that are Kafka Streams' own: there is no answer to compare with. */
const FAULTS: readonly RegExp[] = [
  // It cannot merge repartition topics of several branches of one split: it loses its way there.
  /^StreamsException: Found a null keyChangingChild node/,
  // Its buffer of a left join with grace takes no null key, though it joins one with nothing where there is no grace.
  /processor=(KSTREAM-LEFTJOIN-|name)\d+, .*NullPointerException: key cannot be null/,
];

/** A seed whose case the two answer differently. */
export interface Failure {
  readonly seed: number;
  readonly differences: readonly string[];
  /** The case with Kafka Streams' answer; made smaller if that was asked for. */
  readonly case: RandomCase;
}

export interface RandomRun {
  /** Default: cases of the family `processing` with operators of the DSL. */
  readonly kind?: RandomKindName;
  readonly count: number;
  readonly from: number;
  /** Whether failing cases are made smaller; it takes seconds for each. */
  readonly smaller: boolean;
  /** Told of each failure as it is found. */
  readonly onFailure?: (failure: Failure) => void;
}

/** Runs the cases of seeds [from, from + count), one after the other, in one Java process. */
export async function runRandom(run: RandomRun): Promise<readonly Failure[]> {
  const { count, from, smaller, onFailure } = run;
  const kind: RandomKind = randomKinds[run.kind ?? 'processing'];
  const reference = await ReferenceProcess.start();
  const failures: Failure[] = [];
  try {
    for (let seed = from; seed < from + count; seed += 1) {
      const of = await reference.answer(kind.make(seed));
      const differences = await differencesOf(kind, of);
      if (differences.length === 0) continue;
      const failure = smaller ? await smallest(kind, seed, of, reference) : { seed, differences, case: of };
      failures.push(failure);
      onFailure?.(failure);
    }
  } finally {
    await reference.end();
  }
  return failures;
}

async function smallest(kind: RandomKind, seed: number, of: Answered, reference: ReferenceProcess): Promise<Failure> {
  const part = partOf(await differencesOf(kind, of));
  const small = await shrink<RandomCase>(of, async (candidate) => {
    if (topicsOf(candidate.topology as CaseTopology).size === 0) return false;
    const answered = await reference.answer(candidate);
    return answered.refused === undefined && partOf(await differencesOf(kind, answered)) === part;
  });
  const answered = await reference.answer(small);
  return { seed, differences: await differencesOf(kind, answered), case: answered };
}

/** What differs first, without names and numbers: a case is not to become another failure while it gets smaller. */
function partOf(differences: readonly string[]): string {
  return /^\w+(: expected (none|one))?/.exec(differences[0] ?? '')?.[0] ?? '';
}

async function differencesOf(kind: RandomKind, of: Answered): Promise<readonly string[]> {
  if (FAULTS.some((fault) => fault.test(String(of.error ?? '')))) return [];
  if (of.refused !== undefined) return [`the Java program could not run it: ${of.refused}`];
  try {
    return await kind.differences(of);
  } catch (thrown) {
    return [`thrown: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
  }
}
