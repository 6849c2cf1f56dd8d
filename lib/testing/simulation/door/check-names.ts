/** Names of options: one that is misspelt would be left out in silence. */
import { InvalidSettingError } from '../../../model/errors.js';
import { suggestion } from '../../../model/nearest.js';

/**
 * @param where of the options, such as `inputs.orders`; empty: those of `simulate` itself
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if one is not known
 */
export function checkNames(where: string, given: object, known: readonly string[]): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const option = where === '' ? name : `${where}.${name}`;
    throw new InvalidSettingError(
      `simulate: there is no option '${option}'${suggestion(name, known)} (there are ${known.join(', ')})`,
      { details: { name: option, known }, remedy: 'Correct the name of the option, or leave it out.' },
    );
  }
}
