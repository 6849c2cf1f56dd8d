/** A topic's settings, by Kafka's names: those that this log obeys are checked, all others are kept as they came. */
import { InvalidSettingError } from '../../model/errors.js';
import type { TopicConfig } from '../log.js';

/** The settings that this log obeys. */
export interface TopicSettings {
  readonly compact: boolean;
  readonly deleteOld: boolean;
  /** Infinity: for ever. */
  readonly retentionMs: number;
  readonly retentionBytes: number;
  readonly deleteRetentionMs: number;
  readonly segmentBytes: number;
  readonly segmentMs: number;
  readonly maxMessageBytes: number;
  readonly minCleanableDirtyRatio: number;
  readonly minCompactionLagMs: number;
}

/**
 * Kafka's defaults, but for the segments: 2 MiB here instead of 1 GiB, since only whole segments are deleted or compacted
 * and they lie in memory.
 */
export const DEFAULT_TOPIC_CONFIG: TopicConfig = {
  'cleanup.policy': 'delete',
  'delete.retention.ms': '86400000',
  'max.message.bytes': '1048588',
  'min.cleanable.dirty.ratio': '0.5',
  'min.compaction.lag.ms': '0',
  'retention.bytes': '-1',
  'retention.ms': '604800000',
  'segment.bytes': '2097152',
  'segment.ms': '604800000',
};

/**
 * Reads a topic's settings; what is absent comes from the defaults.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING for a value that Kafka would refuse
 */
export function readTopicConfig(config: TopicConfig, defaults: TopicConfig = DEFAULT_TOPIC_CONFIG): TopicSettings {
  for (const [name, value] of Object.entries(config ?? {}))
    if (typeof value !== 'string') throw refused(name, value, 'a text is wanted, as Kafka has it');
  const all = { ...DEFAULT_TOPIC_CONFIG, ...defaults, ...config };
  const policies = cleanupPolicies(all['cleanup.policy'] ?? '');
  return {
    compact: policies.includes('compact'),
    deleteOld: policies.includes('delete'),
    retentionMs: unlimited(wholeNumber(all, 'retention.ms', -1)),
    retentionBytes: unlimited(wholeNumber(all, 'retention.bytes', -1)),
    deleteRetentionMs: wholeNumber(all, 'delete.retention.ms', 0),
    segmentBytes: wholeNumber(all, 'segment.bytes', 14),
    segmentMs: wholeNumber(all, 'segment.ms', 1),
    maxMessageBytes: wholeNumber(all, 'max.message.bytes', 0),
    minCleanableDirtyRatio: ratio(all, 'min.cleanable.dirty.ratio'),
    minCompactionLagMs: wholeNumber(all, 'min.compaction.lag.ms', 0),
  };
}

function unlimited(value: number): number {
  return value === -1 ? Number.POSITIVE_INFINITY : value;
}

function cleanupPolicies(text: string): readonly string[] {
  const policies = text.split(',').map((policy) => policy.trim());
  for (const policy of policies) {
    if (policy !== 'compact' && policy !== 'delete')
      throw refused('cleanup.policy', text, "'delete', 'compact' or 'compact,delete' is wanted");
  }
  return policies;
}

/** Java's greatest `long`, as JavaScript reads it: what Kafka Streams writes for "for ever". */
const GREATEST_LONG = 2 ** 63;

function wholeNumber(config: TopicConfig, name: string, min: number): number {
  const text = (config[name] ?? '').trim();
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value > GREATEST_LONG || value < min)
    throw refused(name, config[name], `a whole number from ${min} is wanted`);
  return value;
}

function ratio(config: TopicConfig, name: string): number {
  const text = (config[name] ?? '').trim();
  const value = Number(text);
  if (text === '' || !(value >= 0 && value <= 1)) throw refused(name, config[name], 'a number from 0 to 1 is wanted');
  return value;
}

function refused(name: string, value: unknown, why: string): InvalidSettingError {
  return new InvalidSettingError(`topic setting ${name}: '${String(value)}' was given, ${why}`, {
    details: { name, value },
    remedy: "Correct the topic's setting that the message names.",
  });
}
