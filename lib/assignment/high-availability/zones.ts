/** Where partitions and members are, and what it costs to read across zones. KIP-925, Kafka: `RackAwareTaskAssignor`. */
import { topicPartitionKey } from '../../model/topic-partition.js';
import { readAcross } from '../read-across.js';
import type { AssignmentInput } from '../task-assignor.js';
import type { Cluster, MemberState, PlacedTask } from './cluster.js';

/** What a placement costs. */
export interface Costs {
  /** Per partition read from another zone. */
  readonly traffic: number;
  /** Per task that is not where it would be for balance alone. */
  readonly nonOverlap: number;
}

/** Cost of a task on a member, which holds it or not. */
export type CostOf = (task: PlacedTask, state: MemberState) => number;

export class Zones {
  private readonly input: AssignmentInput;

  private constructor(input: AssignmentInput) {
    this.input = input;
  }

  /**
   * The zones of all members and partitions; undefined if the settings do not ask for them, or a single one is not known:
   * then tasks are placed without them. Changelogs count where there are standbys, who read them.
   */
  static of(input: AssignmentInput, cluster: Cluster, replicas: number): Zones | undefined {
    if (input.settings.rackAwareAssignmentStrategy === 'none') return undefined;
    const isKnown = (at: Parameters<typeof topicPartitionKey>[0]): boolean =>
      (input.partitionZones?.get(topicPartitionKey(at)) ?? []).length > 0;
    const known =
      cluster.members.every(({ member }) => member.zone !== undefined) &&
      cluster.tasks.every(({ task }) => task.inputs.every(isKnown)) &&
      (replicas === 0 || cluster.stateful.every(({ task }) => task.changelogs.every(isKnown)));
    return known ? new Zones(input) : undefined;
  }

  /** Cost of an active task: what it reads are its inputs. */
  activeCost({ traffic, nonOverlap }: Costs): CostOf {
    return (task, state) =>
      readAcross(this.input, task.task.inputs, state.member.zone) * traffic + (state.active.has(task) ? 0 : nonOverlap);
  }

  /** Cost of a standby: what it reads are its changelogs. */
  standbyCost({ traffic, nonOverlap }: Costs): CostOf {
    return (task, state) =>
      readAcross(this.input, task.task.changelogs, state.member.zone) * traffic +
      (state.standby.has(task) ? 0 : nonOverlap);
  }
}
