/** Outputs are what the subject's own oracle works out from the input without any code of the product. */
import { type ByteKey, byteKey, bytesOfKey } from '../../../model/byte-key.js';
import { committedValues } from '../seen-outputs.js';
import type { SeenOutputs } from '../subject.js';
import type { Witness } from '../witness.js';
import type { Checker } from './checker.js';

export const outputsEqualOracle: Checker = {
  name: 'outputs-equal-oracle',
  watch: ({ cloud, subject, witness, wrong }) => ({
    async ended() {
      if (subject.oracle === undefined || cloud.harms.excused().size > 0) return;
      const { settings } = cloud.app;
      const seen: SeenOutputs = { inputs: cloud.inputs, settings, read: (topic) => valuesOf(witness, topic) };
      for (const what of subject.oracle(seen)) wrong(what);
    },
  }),
};

function valuesOf({ committed }: Witness, topic: string): ReadonlyMap<string, readonly (Uint8Array | null)[]> {
  const values = new Map<string, (Uint8Array | null)[]>();
  for (const [at, list] of committedValues(committed, topic)) {
    const key = byteKey(bytesOfKey(at.slice(at.indexOf('/') + 1) as ByteKey));
    const text = Buffer.from(key, 'latin1').toString();
    const decoded = list.map((value) => (value === null ? null : Buffer.from(value, 'latin1')));
    values.set(text, [...(values.get(text) ?? []), ...decoded]);
  }
  return values;
}
