/** Where partitions and members are, and what it costs to read across zones. KIP-925, Kafka: `RackAwareTaskAssignor`. */
import { topicPartitionKey } from '../../model/topic-partition.js';
import type { Cluster, MemberState, PlacedTask } from '../cluster.js';
import { readAcross } from '../read-across.js';
import type { AssignmentInput } from '../task-assignor.js';

/** What a placement costs. */
export interface Costs {
  /** Per partition read from another zone. */
  readonly traffic: number;
  /** Per task that is not where it would be for balance alone. */
  readonly nonOverlap: number;
}

/** What the settings say. */
export function costsOf(settings: AssignmentInput['settings']): Costs {
  return { traffic: settings.rackAwareAssignmentTrafficCost, nonOverlap: settings.rackAwareAssignmentNonOverlapCost };
}

/** Cost of a task on a member, which holds it or not. */
export type CostOf = (task: PlacedTask, state: MemberState) => number;

/** Whether a task is where it costs no non-overlap. */
type IsAtHome = (task: PlacedTask, state: MemberState) => boolean;

type ReadBy = (task: PlacedTask['task']) => PlacedTask['task']['inputs'];

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

  /** Cost of an active task: what it reads are its inputs. @param isAtHome where it would be for balance alone */
  activeCost(costs: Costs, isAtHome: IsAtHome = (task, state) => state.active.has(task)): CostOf {
    return this.costOf(costs, ({ inputs }) => inputs, isAtHome);
  }

  /** Cost of a standby: what it reads are its changelogs. */
  standbyCost(costs: Costs, isAtHome: IsAtHome = (task, state) => state.standby.has(task)): CostOf {
    return this.costOf(costs, ({ changelogs }) => changelogs, isAtHome);
  }

  private costOf({ traffic, nonOverlap }: Costs, readBy: ReadBy, isAtHome: IsAtHome): CostOf {
    return (task, state) =>
      readAcross(this.input, readBy(task.task), state.member.zone) * traffic + (isAtHome(task, state) ? 0 : nonOverlap);
  }
}
