/** A recorded case of Kafka Streams' assignor, as JSON, and the same as our assignors see it. */
import type {
  AssignableMember,
  AssignableTask,
  AssignmentInput,
  AssignmentSettings,
  RackAwareStrategy,
} from '../../lib/assignment/task-assignor.js';
import type { TaskId } from '../../lib/model/task-id.js';
import type { TopicPartitionKey } from '../../lib/model/topic-partition.js';

export interface CasePlacement {
  readonly active: readonly TaskId[];
  readonly standby: readonly TaskId[];
  readonly warmup?: readonly TaskId[];
}

export interface CaseClient {
  readonly capacity: number;
  readonly tags?: Readonly<Record<string, string>>;
  readonly rack?: string;
  readonly prevActive: readonly TaskId[];
  readonly prevStandby: readonly TaskId[];
  /** Absent where the ends of changelogs could not be read. */
  readonly lags?: Readonly<Record<string, number>>;
  /** Lag of the stateful tasks that `lags` does not list. */
  readonly otherLags?: number;
}

/** One placement. */
export interface AssignmentStep {
  readonly step?: number;
  readonly config: {
    readonly 'num.standby.replicas': number;
    readonly 'max.warmup.replicas': number;
    readonly 'acceptable.recovery.lag': number;
    readonly 'rack.aware.assignment.tags'?: readonly string[];
    readonly 'rack.aware.assignment.strategy'?: RackAwareStrategy;
    readonly 'rack.aware.assignment.traffic_cost'?: number;
    readonly 'rack.aware.assignment.non_overlap_cost'?: number;
  };
  readonly assignor: 'HighAvailability' | 'FallbackPrior';
  readonly tasks: { readonly stateful: readonly TaskId[]; readonly stateless: readonly TaskId[] };
  readonly clients: Readonly<Record<string, CaseClient>>;
  readonly partitionRacks?: Readonly<Record<string, readonly string[]>>;
  readonly expected: {
    readonly clients: Readonly<Record<string, Required<CasePlacement>>>;
    readonly followupRebalance: boolean;
    readonly activeMovements?: number;
    readonly standbyMovements?: number;
    readonly rackAwareEnabled?: boolean;
    readonly target?: Readonly<Record<string, CasePlacement>>;
  };
  readonly measures?: Readonly<Record<string, unknown>>;
}

export type AssignmentCase = AssignmentStep | { readonly kind: 'sequence'; readonly steps: readonly AssignmentStep[] };

/** What the assignor is asked in one step. */
export function inputOf(of: Omit<AssignmentStep, 'expected'>): AssignmentInput {
  const zones = Object.entries(of.partitionRacks ?? {}).map(([at, racks]) => [at as TopicPartitionKey, racks] as const);
  return {
    tasks: [...of.tasks.stateless.map((id) => taskOf(id, false)), ...of.tasks.stateful.map((id) => taskOf(id, true))],
    members: Object.entries(of.clients).map(([id, client]) => memberOf(id, client, of.tasks.stateful)),
    settings: settingsOf(of.config),
    partitionZones: new Map(zones),
    lagsUnknown: of.assignor === 'FallbackPrior',
  };
}

function settingsOf(config: AssignmentStep['config']): AssignmentSettings {
  return {
    numStandbyReplicas: config['num.standby.replicas'],
    standbyKind: 'hot',
    // The greatest number of Java's is no number of ours; both mean that there is no bound.
    acceptableRecoveryLag: Math.min(config['acceptable.recovery.lag'], Number.MAX_SAFE_INTEGER),
    maxWarmupReplicas: config['max.warmup.replicas'],
    rackAwareAssignmentTags: config['rack.aware.assignment.tags'] ?? [],
    rackAwareAssignmentStrategy: config['rack.aware.assignment.strategy'] ?? 'none',
    rackAwareAssignmentTrafficCost: config['rack.aware.assignment.traffic_cost'] ?? 10,
    rackAwareAssignmentNonOverlapCost: config['rack.aware.assignment.non_overlap_cost'] ?? 1,
  };
}

function taskOf(id: TaskId, stateful: boolean): AssignableTask {
  const [subTopology, partition] = id.split('_').map(Number) as [number, number];
  const inputs = [{ topic: `in${subTopology}`, partition }];
  const changelogs = stateful ? [{ topic: `app-store${subTopology}-changelog`, partition }] : [];
  return { id, stateful, inputs, changelogs, weight: 1 };
}

function memberOf(id: string, client: CaseClient, stateful: readonly TaskId[]): AssignableMember {
  const lags = stateful.flatMap((task) => {
    const lag = client.lags?.[task] ?? client.otherLags;
    return lag === undefined ? [] : [[task, lag] as const];
  });
  return {
    id,
    live: true,
    capacity: client.capacity,
    tags: client.tags ?? {},
    ...(client.rack === undefined ? {} : { zone: client.rack }),
    previousActive: client.prevActive,
    previousStandby: client.prevStandby,
    previousWarmup: [],
    lags: new Map(lags),
  };
}
