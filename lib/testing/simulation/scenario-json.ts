/** Scenarios as JSON text, to be kept and run again when seeds have come to mean something else. */
import type { Scenario, ScenarioInput } from './scenario.js';

type StoredInput = Omit<ScenarioInput, 'key' | 'value'> & {
  readonly key: string | null;
  readonly value: string | null;
};

/** A scenario of which JSON can say everything: bytes in base64. */
export type StoredScenario = Omit<Scenario, 'inputs'> & { readonly inputs: readonly StoredInput[] };

export function storeScenario(scenario: Scenario): StoredScenario {
  const text = (bytes: Uint8Array | null) => (bytes === null ? null : Buffer.from(bytes).toString('base64'));
  const inputs = scenario.inputs.map((input) => ({ ...input, key: text(input.key), value: text(input.value) }));
  return { ...scenario, inputs };
}

export function restoreScenario(stored: StoredScenario): Scenario {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text, 'base64'));
  const inputs = stored.inputs.map((input) => ({ ...input, key: bytes(input.key), value: bytes(input.value) }));
  return { ...stored, inputs };
}
