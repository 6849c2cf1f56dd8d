/** The kinds of random cases: how each is made and compared. */
import type { ProcessingCase } from '../parity-case.js';
import { runProcessingCase } from '../run-case.js';
import { runTopologyCase, type TopologyCase } from '../topology-cases.js';
import { randomCase, randomPapiCase } from './random-case.js';
import { randomTopologyCase } from './random-topology-case.js';
import { withoutCountsApart } from './sides-apart.js';

export type RandomCase = ProcessingCase | TopologyCase;

export interface RandomKind {
  /** The same for the same seed; without an answer. */
  make(seed: number): RandomCase;
  /** Between the answer that a case has and that of this library. */
  differences(of: RandomCase): Promise<readonly string[]>;
}

const processing = { differences: (of: RandomCase) => runProcessingCase(of as ProcessingCase) };

/** By what `--family` names: two kinds make cases of the family `processing`. */
export const randomKinds = {
  processing: { ...processing, make: randomCase },
  processors: { ...processing, make: randomPapiCase },
  topology: {
    make: randomTopologyCase,
    differences: async (of) => withoutCountsApart(of as TopologyCase, runTopologyCase(of)),
  },
} satisfies Readonly<Record<string, RandomKind>>;

export type RandomKindName = keyof typeof randomKinds;

export function isRandomKind(name: string): name is RandomKindName {
  return name in randomKinds;
}
