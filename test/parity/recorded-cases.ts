import { readdirSync, readFileSync } from 'node:fs';
import type { ProcessingCase } from './parity-case.js';

const FOLDER = new URL('./cases/processing/', import.meta.url);

/** The project's copy of the cases of the family `processing`, by name. */
export function recordedCases(): readonly ProcessingCase[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')) as ProcessingCase);
}
