/** Random cases, answered by Kafka Streams and by this library. */
import type { ProcessingCase } from '../parity-case.js';
import { runProcessingCase } from '../run-case.js';
import { randomCase } from './random-case.js';
import { type Answered, ReferenceProcess } from './reference-process.js';
import { shrink } from './shrink.js';

/** A seed whose case the two answer differently. */
export interface Failure {
  readonly seed: number;
  readonly differences: readonly string[];
  /** The case with Kafka Streams' answer; made smaller if that was asked for. */
  readonly case: ProcessingCase;
}

export interface RandomRun {
  readonly count: number;
  readonly from: number;
  /** Whether failing cases are made smaller; it takes seconds for each. */
  readonly smaller: boolean;
  /** Told of each failure as it is found. */
  readonly onFailure?: (failure: Failure) => void;
}

/** Runs the cases of seeds [from, from + count), one after the other, in one Java process. */
export async function runRandom({ count, from, smaller, onFailure }: RandomRun): Promise<readonly Failure[]> {
  const reference = await ReferenceProcess.start();
  const failures: Failure[] = [];
  try {
    for (let seed = from; seed < from + count; seed += 1) {
      const of = await reference.answer(randomCase(seed));
      const differences = await differencesOf(of);
      if (differences.length === 0) continue;
      const failure = smaller ? await smallest(seed, of, reference) : { seed, differences, case: of };
      failures.push(failure);
      onFailure?.(failure);
    }
  } finally {
    await reference.end();
  }
  return failures;
}

async function smallest(seed: number, of: Answered, reference: ReferenceProcess): Promise<Failure> {
  const kind = kindOf(await differencesOf(of));
  const small = await shrink(of, async (candidate) => {
    const answered = await reference.answer(candidate);
    return answered.refused === undefined && kindOf(await differencesOf(answered)) === kind;
  });
  const answered = await reference.answer(small);
  return { seed, differences: await differencesOf(answered), case: answered };
}

/** What differs first, without names and numbers: a case is not to become another failure while it gets smaller. */
function kindOf(differences: readonly string[]): string {
  return /^\w+(: expected (none|one))?/.exec(differences[0] ?? '')?.[0] ?? '';
}

async function differencesOf(of: Answered): Promise<readonly string[]> {
  if (of.refused !== undefined) return [`the Java program could not run it: ${of.refused}`];
  try {
    return await runProcessingCase(of);
  } catch (thrown) {
    return [`thrown: ${thrown instanceof Error ? thrown.message : String(thrown)}`];
  }
}
