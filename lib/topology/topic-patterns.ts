/**
 * Sources that read whatever topics match a pattern: which topics those are, among the ones there are. Pure. Kafka: `Pattern` subscriptions.
 *
 *   M1  a topology is compiled without matches; {@link matchTopics} answers the same one as it reads among given topics. Whoever
 *       enumerates what an application reads does so on that
 *   M2  the application's own topics never match (internal ones, dead letters), nor do the broker's
 *   M3  a topic belongs to one source: two patterns that match it are refused
 */
import { deadLetterTopics } from '../model/dead-letter-topics.js';
import { TopologyError } from '../model/errors.js';
import { internalTopicName, type StreamsApp } from './app.js';
import type { SourceNode, TopologyNode } from './node.js';
import { compareNames } from './node-groups.js';
import type { Topology } from './topology.js';

/** Flags that change where or from where a pattern is looked for: names are compared whole. */
const PLACE_FLAGS = /[gy]/g;
/** What brokers keep for themselves. Kafka: `Topic.isInternal`. */
const BROKERS_OWN: ReadonlySet<string> = new Set(['__consumer_offsets', '__transaction_state', '__share_group_state']);

/** How the names of internal topics end, those of joins by foreign key included. Kafka: `matchesInternalTopicFormat`. */
const INTERNAL_NAME =
  /(?:-changelog|-repartition|-subscription-(?:registration|response)-topic|-SUBSCRIPTION-(?:REGISTRATION|RESPONSE)-\d+-topic)$/;

/** Whether a pattern matches a whole name, as Java's `Matcher.matches` does. */
export function matchesTopic(pattern: RegExp, topic: string): boolean {
  return wholeName(pattern).test(topic);
}

function wholeName({ source, flags }: RegExp): RegExp {
  return new RegExp(`^(?:${source})$`, flags.replace(PLACE_FLAGS, ''));
}

/** Whether two patterns are one: written alike. */
export function isSamePattern(one: RegExp, other: RegExp): boolean {
  return patternText(one) === patternText(other);
}

/** A pattern as a key: its text and the flags that count. */
export function patternText({ source, flags }: RegExp): string {
  return `/${source}/${flags.replace(PLACE_FLAGS, '')}`;
}

/** The patterns of a topology's sources, in the order of its nodes. */
export function patternsOf({ nodes }: Pick<Topology, 'nodes'>): readonly RegExp[] {
  return [...nodes.values()].flatMap((node) => patternOf(node) ?? []);
}

/**
 * The application as it reads among these topics; the same one where no source has a pattern. May be asked again of its answer.
 *
 * @param existing names on the broker; those that no pattern matches do no harm
 * @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if two patterns match one topic
 */
export function matchTopics<A extends Pick<StreamsApp, 'applicationId' | 'topology'> & Partial<StreamsApp>>(
  app: A,
  existing: Iterable<string>,
): A {
  const { topology } = app;
  if (!hasPatterns(app)) return app;
  const candidates = [...new Set(existing)].filter((topic) => !isOwn(app, topic)).sort(compareNames);
  const owners = new Map<string, string>();
  const topicsOf = ({ name, pattern }: SourceNode & { readonly pattern: RegExp }) => {
    const whole = wholeName(pattern);
    return candidates.filter((topic) => whole.test(topic)).map((topic) => owned(owners, topic, name));
  };
  const matches = new Map(
    [...topology.nodes.values()].flatMap((node) => (hasPattern(node) ? [[node.name, topicsOf(node)] as const] : [])),
  );
  return { ...app, topology: topology.readAmong(matches) };
}

/** The application as it reads among all topics of a log, which is asked only where a source has a pattern. Errors as `matchTopics`. */
export async function matchAllTopics(
  app: StreamsApp,
  log: { listTopics(): Promise<readonly string[]> },
): Promise<StreamsApp> {
  return hasPatterns(app) ? matchTopics(app, await log.listTopics()) : app;
}

/** Whether a source reads topics by pattern. */
export function hasPatterns({ topology }: Pick<StreamsApp, 'topology'>): boolean {
  return patternsOf(topology).length > 0;
}

/** M3. */
function owned(owners: Map<string, string>, topic: string, source: string): string {
  const other = owners.get(topic);
  owners.set(topic, source);
  if (other === undefined) return topic;
  throw new TopologyError(`topic '${topic}' is matched by the patterns of two sources: '${other}' and '${source}'`, {
    details: { topic, sources: [other, source] },
    remedy: 'Make the patterns so that no topic is read by both, or read both with one source.',
  });
}

/** M2. Internal topics that an earlier topology of the application has left behind are its own as well. */
function isOwn(
  { applicationId, topology, settings }: Pick<StreamsApp, 'applicationId' | 'topology'> & Partial<StreamsApp>,
  topic: string,
): boolean {
  if (BROKERS_OWN.has(topic) || (settings !== undefined && deadLetterTopics(settings).has(topic))) return true;
  const prefix = internalTopicName({ applicationId }, '');
  if (!topic.startsWith(prefix)) return false;
  return INTERNAL_NAME.test(topic) || topology.repartitionTopics.has(topic.slice(prefix.length));
}

function hasPattern(node: TopologyNode): node is SourceNode & { readonly pattern: RegExp } {
  return patternOf(node) !== undefined;
}

function patternOf(node: TopologyNode): RegExp | undefined {
  return node.kind === 'source' ? node.pattern : undefined;
}
