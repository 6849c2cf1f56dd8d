import { runAssignmentCase } from './assignment-cases.js';
import type { ProcessingCase } from './parity-case.js';
import { runProcessingCase } from './run-case.js';
import { runTopologyCase } from './topology-cases.js';

/** Runs one case, as read from its file. @returns the differences; none if the answers are the same */
export type Family = (json: unknown) => Promise<readonly string[]>;

/** How the cases of each family are run, by the folder that holds them. */
export const families: Readonly<Record<string, Family>> = {
  processing: (json) => runProcessingCase(json as ProcessingCase),
  assignment: async (json) => runAssignmentCase(json),
  topology: async (json) => runTopologyCase(json),
};
