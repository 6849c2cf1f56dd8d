/** Options are objects, and of the names that there are: one that is misspelt would be left out in silence. */
import { InvalidSettingError } from '../../../model/errors.js';
import { suggestion } from '../../../model/nearest.js';
import { invalid } from './invalid-option.js';

/**
 * @param where of the options, such as `inputs.orders`; `options`: those of `simulate` itself
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if it is no object, or has a name that is not known
 */
export function checkObject(where: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalid(where, given, `an object of ${known.join(', ')}`);
  checkNames(where, given, known);
}

function checkNames(where: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const option = where === 'options' ? name : `${where}.${name}`;
    throw new InvalidSettingError(
      `simulate: there is no option '${option}'${suggestion(name, known)} (there are ${known.join(', ')})`,
      { details: { name: option, known }, remedy: 'Correct the name of the option, or leave it out.' },
    );
  }
}
