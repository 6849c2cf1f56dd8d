/** The error that names an option of `simulate` and what was given for it. */
import { InvalidSettingError } from '../../../model/errors.js';

export function invalid(name: string, value: unknown, wanted: string): InvalidSettingError {
  return new InvalidSettingError(`simulate: ${name}: ${inWords(value)} was given, where there must be ${wanted}`, {
    details: { name, value },
    remedy: 'Correct the option that the message names.',
  });
}

/** JSON has no word for some numbers. */
function inWords(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'function') return String(value);
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return 'something else';
  }
}
