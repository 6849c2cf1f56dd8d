/** From the records of a user's topics to the inputs of one scenario. */
import { asStreamsError, SerializationError } from '../../../model/errors.js';
import { Cell } from '../../../serde/cell.js';
import type { Serde } from '../../../serde/serde.js';
import { defaultPartition } from '../../../topology/default-partitioner.js';
import type { Chance } from '../chance.js';
import type { UntimedInput } from '../generate-scenario.js';
import { checkObject } from './check-names.js';
import { checkWhole } from './check-numbers.js';
import { invalid } from './invalid-option.js';
import type { SimulatedInput, SimulatedInputs } from './simulation-options.js';

/** Greatest time that a date of JavaScript has. */
const MAX_TIMESTAMP_MS = 8_640_000_000_000_000;

/** One input topic, its types forgotten: the compiler has compared records with serdes. */
export interface InputTopic {
  readonly key: Serde<unknown>;
  readonly value: Serde<unknown>;
  readonly partitions: number;
  readonly records: SimulatedInputs<unknown, unknown>;
}

/**
 * The records of all topics in one order of arrival: that of each topic is kept, and how topics mix is chance.
 *
 * @throws {SerializationError} STREAMS_SERIALIZATION_FAILED if a record does not fit the serdes · {InvalidSettingError}
 *   STREAMS_INVALID_SETTING if a record is none, or has a partition or a timestamp that there is not
 */
export function encodeInputs(topics: ReadonlyMap<string, InputTopic>, chance: Chance): readonly UntimedInput[] {
  const waiting = [...topics].map(([topic, input]) => {
    const records: unknown = typeof input.records === 'function' ? input.records(chance) : input.records;
    if (!isList(records)) throw invalid(`inputs.${topic}.records`, records, 'a function that answers a list at once');
    return records.map((record, index) => encode(topic, input, record, index));
  });
  const mixed: UntimedInput[] = [];
  for (let left = total(waiting); left > 0; left -= 1) {
    let at = chance.below(left);
    const list = waiting.find((candidates) => {
      at -= candidates.length;
      return at < 0;
    });
    const next = list?.shift();
    if (next !== undefined) mixed.push(next);
  }
  return mixed;
}

function encode(
  topic: string,
  { key: keySerde, value: valueSerde, partitions }: InputTopic,
  record: SimulatedInput<unknown, unknown>,
  index: number,
): UntimedInput {
  const at = `inputs.${topic}.records[${index}]`;
  checkObject(at, record, ['key', 'value', 'partition', 'timestampMs']);
  const key = bytesOf(`${at}.key`, record.key, keySerde);
  const value = bytesOf(`${at}.value`, record.value, valueSerde);
  const partition = record.partition === undefined ? defaultPartition(key, value, partitions) : record.partition;
  checkWhole(`${at}.partition`, partition, { least: 0, most: partitions - 1 });
  if (record.timestampMs !== undefined)
    checkWhole(`${at}.timestampMs`, record.timestampMs, { least: 0, most: MAX_TIMESTAMP_MS });
  return {
    topic,
    partition,
    key,
    value,
    ...(record.timestampMs === undefined ? {} : { timestampMs: record.timestampMs }),
  };
}

/** @throws {SerializationError} STREAMS_SERIALIZATION_FAILED that names the record and its side */
function bytesOf(at: string, part: unknown, serde: Serde<unknown>): Uint8Array | null {
  try {
    return Cell.of<unknown>(part).bytes(serde);
  } catch (thrown) {
    const { message } = asStreamsError(thrown);
    throw new SerializationError(`simulate: ${at}: its serde does not write it: ${message}`, {
      cause: thrown,
      details: { name: at },
    });
  }
}

function isList(records: unknown): records is readonly SimulatedInput<unknown, unknown>[] {
  return Array.isArray(records);
}

function total(lists: readonly (readonly unknown[])[]): number {
  return lists.reduce((sum, list) => sum + list.length, 0);
}
