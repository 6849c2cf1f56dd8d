/**
 * What an operator sets: names are Kafka's in camelCase; each has a type, a unit, a default and a range.
 *
 * The dotted Kafka names are accepted wherever settings come in as text (`settingsFromText`). An unknown name, a value of
 * the wrong type or outside its range, or a bad combination is refused before anything starts (STREAMS_INVALID_SETTING).
 */
import { durationMs, isoDurationMs } from './duration.js';
import { InvalidSettingError } from './errors.js';
import { nearestName } from './nearest.js';

/** What happens to a record that can not go through; its offset advances unless the task stops. */
export type RecordHandler = 'fail' | 'continue' | { readonly deadLetterTopic: string };

/** Members wanted, between two bounds (both inclusive); which number it is, the scheduler decides. */
export interface MembersRange {
  /** Those that stay although there is no work; 0: all may end. */
  readonly min: number;
  readonly max: number;
}

/** All settings, resolved: durations in milliseconds, sizes in bytes. */
export interface Settings {
  readonly processingGuarantee: 'exactly_once_v2' | 'at_least_once';
  readonly commitIntervalMs: number;
  readonly statestoreCacheMaxBytes: number;
  readonly maxTaskIdleMs: number;
  readonly bufferedRecordsPerPartition: number;
  /** Or Kafka's `by_duration:` with an ISO 8601 duration (KIP-1106). */
  readonly autoOffsetReset: 'earliest' | 'latest' | 'none' | `by_duration:${string}`;
  readonly defaultTimestampExtractor:
    | 'failOnInvalidTimestamp'
    | 'logAndSkipOnInvalidTimestamp'
    | 'usePartitionTimeOnInvalidTimestamp'
    | 'wallclockTimestamp';
  readonly deserializationExceptionHandler: RecordHandler;
  readonly processingExceptionHandler: RecordHandler;
  readonly productionExceptionHandler: RecordHandler;
  readonly lateRecordHandler: RecordHandler;
  readonly uncaughtExceptionHandler: 'auto' | 'replaceThread' | 'shutdownClient' | 'shutdownApplication';
  readonly deadLetterTopic: string;
  readonly maxRequestSize: number;
  readonly taskTimeoutMs: number;
  readonly numStandbyReplicas: number;
  readonly standbyKind: 'snapshot' | 'hot';
  readonly acceptableRecoveryLag: number;
  readonly maxWarmupReplicas: number;
  readonly rackAwareAssignmentTags: readonly string[];
  readonly rackAwareAssignmentStrategy: 'none' | 'min_traffic' | 'balance_subtopology';
  readonly rackAwareAssignmentTrafficCost: number;
  readonly rackAwareAssignmentNonOverlapCost: number;
  readonly assignor: string;
  readonly deployment: string;
  readonly members: number | MembersRange;
  readonly membersCooldownMs: number;
  readonly membersLagTargetMs: number;
  readonly tasksPerMember: number;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly tickIntervalMs: number;
  readonly transactionTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly snapshotMinRecords: number;
  readonly snapshotIntervalMs: number;
  readonly restoreStallTimeoutMs: number;
  readonly maxConcurrentRestores: number;
  readonly restoreMaxBytesPerSecond: number;
  readonly maxStateBytesPerMember: number;
  readonly storeMode: 'resident' | 'auto' | 'lazy';
  readonly snapshotCacheMaxBytes: number;
  readonly offsetsRetentionMs: number;
  readonly repartitionPurgeIntervalMs: number;
  readonly replicationFactor: number;
  readonly pollMs: number;
  readonly fetchMaxBytes: number;
}

/** What a user writes: any part, durations also as text. */
export type SettingsInput = {
  readonly [K in keyof Settings]?: K extends `${string}Ms` ? number | string : Settings[K];
};

type SettingKind =
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'duration'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly of: readonly string[] }
  | { readonly type: 'text' }
  | { readonly type: 'names' }
  | { readonly type: 'members'; readonly max: number }
  | { readonly type: 'handler' }
  | { readonly type: 'offsetReset' };

interface SettingSpec {
  /** The dotted name; Kafka's where Kafka has the setting, `millrace.…` where it has not. */
  readonly dotted: string;
  readonly kind: SettingKind;
  readonly default: Settings[keyof Settings];
  readonly doc: string;
}

const integer = (min: number, max = Number.MAX_SAFE_INTEGER): SettingKind => ({ type: 'integer', min, max });
const duration = (min: number, max = Number.MAX_SAFE_INTEGER): SettingKind => ({ type: 'duration', min, max });
const choice = (...of: string[]): SettingKind => ({ type: 'choice', of });

/** Most members that can be asked for. */
export const MAX_MEMBERS = 1_000;

/** Every setting, in the order of docs/settings.md, which is generated from this table. */
export const SETTING_SPECS: { readonly [K in keyof Settings]: SettingSpec } = {
  processingGuarantee: {
    dotted: 'processing.guarantee',
    kind: choice('exactly_once_v2', 'at_least_once'),
    default: 'exactly_once_v2',
    doc: 'Whether outputs, state and offsets are committed together. Kafka Streams: at_least_once by default.',
  },
  commitIntervalMs: {
    dotted: 'commit.interval.ms',
    kind: duration(0),
    default: 100,
    doc: 'Longest time between the first record of a transaction and its commit.',
  },
  statestoreCacheMaxBytes: {
    dotted: 'statestore.cache.max.bytes',
    kind: integer(0),
    default: 10 * 1024 * 1024,
    doc: 'Bytes of updates held back per task so that only the last of a commit goes downstream; 0 sends every update.',
  },
  maxTaskIdleMs: {
    dotted: 'max.task.idle.ms',
    kind: duration(-1),
    default: 0,
    doc: 'How long a task waits for an input that has no records and of which the broker has none. -1: it does not wait either until it is known whether the broker has some.',
  },
  bufferedRecordsPerPartition: {
    dotted: 'buffered.records.per.partition',
    kind: integer(1),
    default: 10_000,
    doc: 'Records read ahead per input partition.',
  },
  autoOffsetReset: {
    dotted: 'auto.offset.reset',
    kind: { type: 'offsetReset' },
    default: 'earliest',
    doc: 'Where a task that has never worked starts to read; none: nowhere, until offsets were committed by hand; by_duration: at what is no older (KIP-1106).',
  },
  defaultTimestampExtractor: {
    dotted: 'default.timestamp.extractor',
    kind: choice(
      'failOnInvalidTimestamp',
      'logAndSkipOnInvalidTimestamp',
      'usePartitionTimeOnInvalidTimestamp',
      'wallclockTimestamp',
    ),
    default: 'logAndSkipOnInvalidTimestamp',
    doc: 'The time of records of sources without an extractor of their own. Kafka Streams: FailOnInvalidTimestamp by default.',
  },
  deserializationExceptionHandler: {
    dotted: 'deserialization.exception.handler',
    kind: { type: 'handler' },
    default: 'fail',
    doc: "A record that can't be read: fail, continue, or { deadLetterTopic } (as text: dead-letter:<topic>).",
  },
  processingExceptionHandler: {
    dotted: 'processing.exception.handler',
    kind: { type: 'handler' },
    default: 'fail',
    doc: 'A record for which a processor or a function of an operator throws (KIP-1033). What was written before stays.',
  },
  productionExceptionHandler: {
    dotted: 'production.exception.handler',
    kind: { type: 'handler' },
    default: 'fail',
    doc: 'A record that a sink can not serialise, or that is larger than `maxRequestSize` or than its topic takes.',
  },
  lateRecordHandler: {
    dotted: 'millrace.late.record.handler',
    kind: { type: 'handler' },
    default: 'continue',
    doc: 'A record that comes after the grace period of an operator, or too late for what a store still keeps. Kafka Streams: dropped.',
  },
  uncaughtExceptionHandler: {
    dotted: 'millrace.uncaught.exception.handler',
    kind: choice('auto', 'replaceThread', 'shutdownClient', 'shutdownApplication'),
    default: 'auto',
    doc: 'An error that nobody caught: the task is taken again, its member ends, or the application is put to rest (KIP-671). `auto`: embedded `shutdownClient`, deployed `replaceThread`.',
  },
  deadLetterTopic: {
    dotted: 'errors.deadletterqueue.topic.name',
    kind: { type: 'text' },
    default: '',
    doc: 'Where handlers that continue write the record, with headers that say why (KIP-1034); empty: nowhere.',
  },
  taskTimeoutMs: {
    dotted: 'task.timeout.ms',
    kind: duration(0),
    default: 300_000,
    doc: 'A task that errors keep from committing for this long is handed back; after eight attempts it is in any case.',
  },
  maxRequestSize: {
    dotted: 'max.request.size',
    kind: integer(0),
    default: 1_048_576,
    doc: 'Bytes of a record that a sink writes; a larger one is for the production handler. An entry of a store with a changelog has no more either: one that is larger is refused where it is written, for the processing handler. The broker has a limit of its own. 0: no limit.',
  },
  numStandbyReplicas: {
    dotted: 'num.standby.replicas',
    kind: integer(0),
    default: 0,
    doc: 'Kept copies of each store besides the active one.',
  },
  standbyKind: {
    dotted: 'millrace.standby.kind',
    kind: choice('snapshot', 'hot'),
    default: 'snapshot',
    doc: 'What copies are: snapshots that the standby function keeps fresh (one serves any count), or stores that other members hold and follow, promoted in place.',
  },
  acceptableRecoveryLag: {
    dotted: 'acceptable.recovery.lag',
    kind: integer(0),
    default: 10_000,
    doc: 'Changelog records that a copy may lack and still count as caught up.',
  },
  maxWarmupReplicas: {
    dotted: 'max.warmup.replicas',
    kind: integer(1),
    default: 2,
    doc: 'Warm-ups in flight at once.',
  },
  rackAwareAssignmentTags: {
    dotted: 'rack.aware.assignment.tags',
    kind: { type: 'names' },
    default: [],
    doc: 'Tags of members by which the copies of a task are kept apart (KIP-708); as text: names with commas between them.',
  },
  rackAwareAssignmentStrategy: {
    dotted: 'rack.aware.assignment.strategy',
    kind: choice('none', 'min_traffic', 'balance_subtopology'),
    default: 'none',
    doc: 'How tasks are placed by the zones of what they read (KIP-925), where those of all members and partitions are known.',
  },
  rackAwareAssignmentTrafficCost: {
    dotted: 'rack.aware.assignment.traffic_cost',
    kind: integer(0, 2_147_483_647),
    default: 10,
    doc: 'Cost of reading a partition from another zone.',
  },
  rackAwareAssignmentNonOverlapCost: {
    dotted: 'rack.aware.assignment.non_overlap_cost',
    kind: integer(0, 2_147_483_647),
    default: 1,
    doc: 'Cost of placing a task elsewhere than it is (steady), or than balance alone would (highAvailability).',
  },
  assignor: {
    dotted: 'task.assignor',
    kind: { type: 'text' },
    default: 'steady',
    doc: 'Name of the assignor: steady, sticky, weighted, highAvailability, or one of your own (docs/assignment.md).',
  },
  deployment: {
    dotted: 'millrace.deployment',
    kind: { type: 'text' },
    default: '',
    doc: 'What names this deployment: another one ends the rest that `shutdownApplication` began. Deployed, infra/environment.yml sets it.',
  },
  members: {
    dotted: 'millrace.members',
    kind: { type: 'members', max: MAX_MEMBERS },
    default: 1,
    doc: 'Members (slots) wanted: a number, or bounds between which the scheduler decides by what waits (as text: min..max). Those up to `min` stay without work too.',
  },
  membersCooldownMs: {
    dotted: 'millrace.members.cooldown.ms',
    kind: duration(0),
    default: 60_000,
    doc: 'Between bounds: how long fewer members have to do before one is given up; a quarter of it, how long more have to be needed.',
  },
  membersLagTargetMs: {
    dotted: 'millrace.members.lag.target.ms',
    kind: duration(1),
    default: 10_000,
    doc: 'Between bounds: how long members may take to work off what waits before more are wanted.',
  },
  tasksPerMember: {
    dotted: 'num.stream.threads',
    kind: integer(1),
    default: 1,
    doc: 'Tasks that a member is meant to hold: its capacity, and with bounds how many members are of use; no limit.',
  },
  sessionTimeoutMs: {
    dotted: 'session.timeout.ms',
    kind: duration(100),
    default: 45_000,
    doc: 'A member whose heartbeat stands still for this long is declared dead.',
  },
  heartbeatIntervalMs: {
    dotted: 'heartbeat.interval.ms',
    kind: duration(10),
    default: 3_000,
    doc: 'Time between heartbeats.',
  },
  tickIntervalMs: {
    dotted: 'millrace.tick.interval.ms',
    kind: duration(10),
    default: 1_000,
    doc: 'Time between ticks of the scheduler while members exist. Kafka Streams: probing.rebalance.interval.ms.',
  },
  transactionTimeoutMs: {
    dotted: 'transaction.timeout.ms',
    kind: duration(1_000, 900_000),
    default: 10_000,
    doc: 'The broker aborts a transaction that is open for longer.',
  },
  idleTimeoutMs: {
    dotted: 'millrace.idle.timeout.ms',
    kind: duration(0),
    default: 60_000,
    doc: 'A member without work for this long ends; 0 keeps members resident.',
  },
  snapshotMinRecords: {
    dotted: 'millrace.snapshot.min.records',
    kind: integer(1),
    default: 10_000,
    doc: 'Changelog records after the newest snapshot before the next is worth writing; 9007199254740991 turns snapshots by tasks off.',
  },
  snapshotIntervalMs: {
    dotted: 'millrace.snapshot.interval.ms',
    kind: duration(0),
    default: 60_000,
    doc: 'Shortest time between two snapshots of a store.',
  },
  restoreStallTimeoutMs: {
    dotted: 'millrace.restore.stall.timeout.ms',
    kind: duration(100),
    default: 60_000,
    doc: 'A restore that gets no further for this long stops with an error.',
  },
  maxConcurrentRestores: {
    dotted: 'millrace.max.concurrent.restores',
    kind: integer(0),
    default: 0,
    doc: 'Tasks of the application that restore their stores at the same time, over all members, with the copies that are read back; the others wait, copies behind tasks, those with the least to read first. 0: no limit.',
  },
  restoreMaxBytesPerSecond: {
    dotted: 'millrace.restore.max.bytes.per.second',
    kind: integer(0),
    default: 0,
    doc: 'Bytes a second that all restores of the application together read from changelogs and snapshots; members with tasks or copies have equal parts of it. Live input, and copies that follow, are not slowed. 0: no limit.',
  },
  maxStateBytesPerMember: {
    dotted: 'millrace.max.state.bytes.per.member',
    kind: integer(0),
    default: 0,
    doc: 'Bytes of state that a member may hold: a task whose stores do not fit beside the others is refused. 0: six tenths of the memory of the function; embedded, no limit.',
  },
  storeMode: {
    dotted: 'millrace.store.mode',
    kind: choice('resident', 'auto', 'lazy'),
    default: 'resident',
    doc: 'Where stores of running tasks lie: in memory, or (key-value stores) in their newest snapshot, of which blocks are read as keys are asked for, under what was written since. auto: in memory while they take no more than seven tenths of what the state of their member may, else in the snapshot.',
  },
  snapshotCacheMaxBytes: {
    dotted: 'millrace.snapshot.cache.max.bytes',
    kind: integer(0),
    default: 64 * 1024 * 1024,
    doc: 'With `storeMode` lazy or auto: bytes of snapshots that a member keeps in memory, those not asked for longest going first.',
  },
  offsetsRetentionMs: {
    dotted: 'offsets.retention.ms',
    kind: duration(60_000),
    default: 7 * 86_400_000,
    doc: "The broker's retention of committed offsets; a quarter of it is how often they are committed again.",
  },
  repartitionPurgeIntervalMs: {
    dotted: 'repartition.purge.interval.ms',
    kind: duration(0),
    default: 30_000,
    doc: 'Shortest time between two trims of what a task has committed from its repartition topics.',
  },
  replicationFactor: {
    dotted: 'replication.factor',
    kind: integer(-1, 32_767),
    default: -1,
    doc: "Replication factor of internal topics; −1 is the broker's default.",
  },
  pollMs: { dotted: 'poll.ms', kind: duration(0), default: 100, doc: 'How long a fetch waits for records.' },
  fetchMaxBytes: {
    dotted: 'fetch.max.bytes',
    kind: integer(1_024),
    default: 1024 * 1024,
    doc: 'Bytes asked of the log at once.',
  },
};

/** Whether the standby function keeps snapshots fresh, so that running tasks need not write any. */
export function hasSnapshotStandbys(settings: Pick<Settings, 'numStandbyReplicas' | 'standbyKind'>): boolean {
  return settings.numStandbyReplicas > 0 && settings.standbyKind === 'snapshot';
}

/** The value of `snapshotMinRecords` with which tasks write no snapshots. */
export const SNAPSHOTS_OFF = Number.MAX_SAFE_INTEGER;

/** Kafka: `AutoOffsetResetStrategy`. */
export const BY_DURATION = 'by_duration:';

const TOPIC_NAME = /^(?!\.\.?$)[a-zA-Z0-9._-]{1,249}$/;
const NAMES = Object.keys(SETTING_SPECS) as (keyof Settings)[];

/**
 * Checks settings and fills in defaults.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING naming the setting, the value and the allowed range
 */
export function resolveSettings(input: SettingsInput = {}): Settings {
  if (typeof input !== 'object' || input === null || Array.isArray(input) || input instanceof Map)
    throw new InvalidSettingError('settings are an object of names and values', { details: { given: String(input) } });
  for (const name of Object.keys(input)) if (!Object.hasOwn(SETTING_SPECS, name)) throw unknownSetting(name, 'object');
  const given = input as Readonly<Record<string, unknown>>;
  const resolved: Record<string, unknown> = {};
  for (const name of NAMES) {
    const value = given[name];
    resolved[name] = value === undefined ? SETTING_SPECS[name].default : checked(name, value);
  }
  const settings = resolved as unknown as Settings;
  checkTogether(settings);
  return settings;
}

/** Settings that come in as text (environment, properties): camelCase or dotted names, every value a string. */
export function settingsFromText(text: Readonly<Record<string, string>>): SettingsInput {
  const input: Record<string, unknown> = {};
  for (const [given, value] of Object.entries(text)) {
    const name = NAMES.find((known) => known === given || SETTING_SPECS[known].dotted === given);
    if (name === undefined) throw unknownSetting(given, 'text');
    if (Object.hasOwn(input, name)) throw refused(name, value, 'it is given twice');
    const { type } = SETTING_SPECS[name].kind;
    input[name] =
      type === 'integer' || (type === 'duration' && /^\s*-?\d+\s*$/.test(value))
        ? integerFromText(name, value)
        : type === 'names'
          ? namesFromText(value)
          : type === 'members'
            ? membersFromText(name, value)
            : handlerFromText(type, value);
  }
  return input as SettingsInput;
}

function integerFromText(name: keyof Settings, value: string): number {
  if (!/^\s*-?\d+\s*$/.test(value)) throw refused(name, value, 'a whole number is wanted');
  return Number(value);
}

/** `4`, or `0..8`. */
function membersFromText(name: keyof Settings, value: string): number | MembersRange {
  const [min, max, ...more] = value.split('..');
  if (min === undefined || more.length > 0) throw refused(name, value, MEMBERS_WANTED);
  if (max === undefined) return integerFromText(name, min);
  return { min: integerFromText(name, min), max: integerFromText(name, max) };
}

function namesFromText(value: string): readonly string[] {
  return value.trim() === '' ? [] : value.split(',').map((name) => name.trim());
}

function handlerFromText(type: SettingKind['type'], value: string): unknown {
  const topic = type === 'handler' ? /^dead-letter:(.+)$/.exec(value)?.[1] : undefined;
  return topic === undefined ? value : { deadLetterTopic: topic };
}

function checked(name: keyof Settings, value: unknown): unknown {
  const { kind } = SETTING_SPECS[name];
  switch (kind.type) {
    case 'integer':
      return inRange(name, value, kind);
    case 'duration':
      if (typeof value !== 'number' && typeof value !== 'string')
        throw refused(name, value, "milliseconds, or a text such as '5s', are wanted");
      return value === kind.min ? value : inRange(name, durationMs(value, name), kind);
    case 'choice':
      if (typeof value !== 'string' || !kind.of.includes(value))
        throw refused(name, value, `one of ${kind.of.join(', ')} is wanted`);
      return value;
    case 'text':
      if (typeof value !== 'string') throw refused(name, value, 'a text is wanted');
      return value;
    case 'names':
      return checkedNames(name, value);
    case 'members':
      return checkedMembers(value);
    case 'handler':
      return checkedHandler(name, value);
    case 'offsetReset':
      return checkedOffsetReset(name, value);
  }
}

function inRange(name: keyof Settings, value: unknown, range: { readonly min: number; readonly max: number }): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < range.min || value > range.max) {
    const upTo = range.max === Number.MAX_SAFE_INTEGER ? '' : ` to ${range.max}`;
    throw refused(name, value, `a whole number from ${range.min}${upTo} is wanted`);
  }
  return value;
}

const MEMBERS_WANTED = `a whole number from 1 to ${MAX_MEMBERS}, or { min, max } with 0 ≤ min ≤ max, are wanted`;

/**
 * Checks how many members are wanted.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING
 */
export function checkedMembers(value: unknown): number | MembersRange {
  const isCount = (count: unknown, from: number): count is number =>
    typeof count === 'number' && Number.isSafeInteger(count) && count >= from && count <= MAX_MEMBERS;
  if (isCount(value, 1)) return value;
  if (typeof value === 'object' && value !== null) {
    const { min, max, ...others } = value as { readonly min?: unknown; readonly max?: unknown };
    if (isCount(min, 0) && isCount(max, 1) && min <= max && Object.keys(others).length === 0) return { min, max };
  }
  throw refused('members', value, MEMBERS_WANTED);
}

function checkedNames(name: keyof Settings, value: unknown): readonly string[] {
  if (!Array.isArray(value) || !value.every((one) => typeof one === 'string' && one !== ''))
    throw refused(name, value, 'a list of names is wanted');
  return [...new Set<string>(value)];
}

function checkedHandler(name: keyof Settings, value: unknown): RecordHandler {
  if (value === 'fail' || value === 'continue') return value;
  const { deadLetterTopic: topic, ...others } =
    typeof value === 'object' && value !== null ? (value as { deadLetterTopic?: unknown }) : {};
  if (typeof topic !== 'string' || !TOPIC_NAME.test(topic) || Object.keys(others).length > 0)
    throw refused(name, value, "'fail', 'continue' or { deadLetterTopic: '<topic>' } is wanted");
  return { deadLetterTopic: topic };
}

function checkedOffsetReset(name: keyof Settings, value: unknown): string {
  if (value === 'earliest' || value === 'latest' || value === 'none') return value;
  if (
    typeof value === 'string' &&
    value.startsWith(BY_DURATION) &&
    isoDurationMs(value.slice(BY_DURATION.length)) !== null
  )
    return value;
  throw refused(name, value, `one of earliest, latest, none, or ${BY_DURATION}PnDTnHnMnS is wanted`);
}

/** Rules beyond one setting's kind; each message says the rule. */
function checkTogether(settings: Settings): void {
  if (settings.deadLetterTopic !== '' && !TOPIC_NAME.test(settings.deadLetterTopic))
    throw refused('deadLetterTopic', settings.deadLetterTopic, 'the name of a topic, or nothing, is wanted');
  if (typeof settings.members === 'object' && settings.members.min === 0 && settings.idleTimeoutMs === 0)
    throw refused('members', settings.members, 'min 0 needs members that end without work: idleTimeoutMs above 0');
  if (settings.heartbeatIntervalMs * 2 > settings.sessionTimeoutMs) {
    throw refused(
      'heartbeatIntervalMs',
      settings.heartbeatIntervalMs,
      `it must be at most half of sessionTimeoutMs (${settings.sessionTimeoutMs})`,
    );
  }
  if (
    settings.commitIntervalMs * 2 > settings.transactionTimeoutMs &&
    settings.processingGuarantee === 'exactly_once_v2'
  ) {
    throw refused(
      'commitIntervalMs',
      settings.commitIntervalMs,
      `it must be at most half of transactionTimeoutMs (${settings.transactionTimeoutMs})`,
    );
  }
}

/** In an object settings have our names alone; where they come in as text, Kafka's dotted ones too. */
function unknownSetting(name: string, given: 'object' | 'text'): InvalidSettingError {
  const dotted = new Map<string, keyof Settings>(NAMES.map((one) => [SETTING_SPECS[one].dotted, one]));
  const near = nearestName(name, name.includes('.') ? dotted.keys() : NAMES);
  const named = given === 'text' ? near : (dotted.get(near ?? '') ?? near);
  const isKafkas = given === 'object' && near === name;
  const hint = named === null ? '' : isKafkas ? `: here it is '${named}'` : `; is '${named}' meant?`;
  return new InvalidSettingError(`there is no setting '${name}'${hint}`, { details: { name, known: NAMES } });
}

function refused(name: keyof Settings, value: unknown, why: string): InvalidSettingError {
  return new InvalidSettingError(
    `${name} (${SETTING_SPECS[name].dotted}): ${JSON.stringify(value)} was given, ${why}`,
    { details: { name, value } },
  );
}
