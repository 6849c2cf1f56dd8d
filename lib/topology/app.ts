import { InvalidSettingError, TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import { resolveSettings, type Settings, type SettingsInput } from '../model/settings.js';
import { expectOptions } from './expect-options.js';
import { checkFailureHandlers, type FailureHandlers } from './failure-handlers.js';
import { checkListeners, type StreamsListeners } from './listeners.js';
import type { TimestampExtractor } from './node.js';
import type { Topology } from './topology.js';

const APP_OPTIONS = ['applicationId', 'topology', 'settings', 'listeners', 'handlers', 'timestampExtractor'];
/** Kafka's limit. */
const TOPIC_NAME_MAX = 249;

/** An application: what `defineApp` checked. Everything that runs takes one of these. */
export interface StreamsApp {
  readonly applicationId: string;
  readonly topology: Topology;
  readonly settings: Settings;
  /** What own code decides about records that can not go through. */
  readonly handlers?: FailureHandlers;
  /** What own code hears of the tasks. */
  readonly listeners?: StreamsListeners;
  /** Of sources without one of their own (default-timestamp-extractor.ts). */
  readonly timestampExtractor?: TimestampExtractor;
}

export interface AppInput {
  /** Prefix of internal topics, consumer group, transactional ids, table keys and snapshot names. Kafka: `application.id`. */
  readonly applicationId: string;
  readonly topology: Topology;
  readonly settings?: SettingsInput;
  /** Called as tasks change their state and stores are restored. */
  readonly listeners?: StreamsListeners;
  /** Asked about records that can not go through, instead of the settings of the same kinds. */
  readonly handlers?: FailureHandlers;
  /**
   * Tells the time of the records of sources that have no `timestampExtractor` of their own, instead of the setting
   * `defaultTimestampExtractor`. Global tables and internal topics go by the records' own. Kafka: `default.timestamp.extractor`.
   */
  readonly timestampExtractor?: TimestampExtractor;
}

/**
 * Checks an application before anything starts.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING · {TopologyError} STREAMS_INVALID_TOPOLOGY if `topology` is none
 */
export function defineApp(input: AppInput): StreamsApp {
  const applicationId: unknown = input?.applicationId;
  if (typeof applicationId !== 'string' || !/^(?!\.\.?$)[a-zA-Z0-9._-]{1,200}$/.test(applicationId)) {
    throw new InvalidSettingError(
      `applicationId: '${String(applicationId)}' was given; 1 to 200 letters, digits, dots, underscores and dashes are wanted`,
      { details: { applicationId }, remedy: 'Name the application with those characters; dots alone are no name.' },
    );
  }
  expectOptions(`application '${applicationId}'`, input, APP_OPTIONS);
  if (!(input.topology?.nodes instanceof Map) || !Array.isArray(input.topology.subTopologies)) {
    throw new TopologyError(`application '${applicationId}' was given no topology`, {
      details: { applicationId },
      remedy: 'Give what the build method of a StreamsBuilder or TopologyBuilder answers.',
    });
  }
  checkInternalNames(applicationId, input.topology);
  checkFailureHandlers(input.handlers ?? {});
  checkListeners(input.listeners ?? {});
  checkTimestampExtractor(input.timestampExtractor);
  return Object.freeze({
    applicationId,
    topology: input.topology,
    settings: resolveSettings(input.settings),
    ...(input.handlers === undefined ? {} : { handlers: input.handlers }),
    ...(input.listeners === undefined ? {} : { listeners: input.listeners }),
    ...(input.timestampExtractor === undefined ? {} : { timestampExtractor: input.timestampExtractor }),
  });
}

function checkTimestampExtractor(extractor: unknown): void {
  if (extractor === undefined || typeof extractor === 'function') return;
  throw new TopologyError(`timestampExtractor is ${kindOfValue(extractor)}, a function is wanted`, {
    remedy: 'Give a function, or name one of the ready-made ones in the setting defaultTimestampExtractor.',
  });
}

/** Holds the names of internal topics to what a broker takes, before it refuses them at the first start. */
function checkInternalNames(applicationId: string, { repartitionTopics, changelogs }: Topology): void {
  const changelogTopics = [...changelogs.values()].filter(({ internal }) => internal).map(({ topic }) => topic);
  for (const name of [...repartitionTopics.keys(), ...changelogTopics]) {
    const topic = internalTopicName({ applicationId }, name);
    if (topic.length <= TOPIC_NAME_MAX) continue;
    throw new TopologyError(`internal topic '${topic}' has a name of ${topic.length} characters`, {
      details: { topic, length: topic.length, max: TOPIC_NAME_MAX },
      remedy: `Shorten the name of the store, the operator or the application: ${TOPIC_NAME_MAX} characters are allowed.`,
    });
  }
}

/** The name on the broker of an internal topic that the topology names without prefix. */
export function internalTopicName(app: Pick<StreamsApp, 'applicationId'>, name: string): string {
  return `${app.applicationId}-${name}`;
}

/** The name on the broker of any topic that the topology names. */
export function topicName(app: Pick<StreamsApp, 'applicationId' | 'topology'>, name: string): string {
  const internal =
    app.topology.repartitionTopics.has(name) ||
    [...app.topology.changelogs.values()].some((log) => log.internal && log.topic === name);
  return internal ? internalTopicName(app, name) : name;
}

/** The topic that stands for a store: its changelog's name, whether or not it has one. Kafka: `changelogFor`. */
export function storeTopic(app: StreamsApp, store: string): string {
  const global = app.topology.globalStores.get(store);
  if (global !== undefined) return global.topic;
  const log = app.topology.changelogs.get(store);
  if (log === undefined) return internalTopicName(app, `${store}-changelog`);
  return log.internal ? internalTopicName(app, log.topic) : log.topic;
}
