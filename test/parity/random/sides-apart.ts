/** Answers in which Kafka Streams forgets that the sides of a join need one partition count: they are not to be equalled. */
import { defineApp, topicName } from '../../../lib/topology/app.js';
import { copartitionGroupsOf } from '../../../lib/topology/copartition-groups.js';
import { buildTopology } from '../build-topology.js';
import type { TopologyCase } from '../topology-cases.js';

/** What does not depend on counts. */
const WITHOUT_COUNTS = /^(topologyDescription|copartitionGroups):/;

/** The differences without those that follow from such counts. */
export function withoutCountsApart(of: TopologyCase, differences: readonly string[]): readonly string[] {
  if (differences.length === 0 || !leavesSidesApart(of)) return differences;
  return differences.filter((difference) => WITHOUT_COUNTS.test(difference));
}

function leavesSidesApart(of: TopologyCase): boolean {
  if (of.errorAt !== undefined) return false;
  const app = defineApp({ applicationId: 'app', topology: buildTopology(of) });
  const counts = new Map(Object.entries(of.partitions));
  const internal = of.repartitionTopicConfigs as readonly { readonly topic: string; readonly partitions: number }[];
  for (const { topic, partitions } of internal) counts.set(topic, partitions);
  const groups = [...copartitionGroupsOf(app), ...app.topology.copartitionedUnasked];
  return groups.some((group) => new Set(group.map((topic) => counts.get(topicName(app, topic)))).size > 1);
}
