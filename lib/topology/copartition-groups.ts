/**
 * Which topics must have one partition count: what operators asked for, joined where they name the same topic.
 * Kafka: `InternalTopologyBuilder.copartitionGroups`.
 */
import { type StreamsApp, topicName } from './app.js';
import { javaHashCode, javaHashOrder, javaHashSetOrder } from './java-hash-order.js';
import { compareNames } from './node-groups.js';

/**
 * In Kafka's order, and joined as Kafka joins them: two groups that a third one links may stay two that have a topic in common.
 *
 * @returns names without the application's prefix
 */
export function copartitionGroupsOf(
  app: Pick<StreamsApp, 'applicationId' | 'topology'>,
): readonly (readonly string[])[] {
  const prefixed = (topic: string) => topicName(app, topic);
  const groupOf = new Map<string, Set<string>>();
  for (const asked of app.topology.copartitionGroups) {
    const own = new Map(asked.map((topic) => [prefixed(topic), topic]));
    const topics = javaHashSetOrder(own.keys()).flatMap((name) => own.get(name) ?? []);
    const group = topics.map((topic) => groupOf.get(topic)).find((found) => found !== undefined) ?? new Set<string>();
    for (const topic of topics) {
      group.add(topic);
      groupOf.set(topic, group);
    }
  }
  const hashOf = (group: ReadonlySet<string>) =>
    [...group].reduce((sum, topic) => (sum + javaHashCode(prefixed(topic))) | 0, 0);
  return javaHashOrder([...new Set(groupOf.values())], hashOf, groupOf.size).map((group) =>
    [...group].sort(compareNames),
  );
}
