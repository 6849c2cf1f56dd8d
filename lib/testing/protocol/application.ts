/**
 * The application of the model: one source topic of two partitions, so two tasks, and two members. What a tick decides is the code's
 * own `decide`, asked once for each thing that a scheduler can have seen.
 */
import { findAssignor } from '../../assignment/assignors.js';
import type { Incarnation, Lease, Member, Plan } from '../../leases/records.js';
import type { TopicDescription } from '../../log/log.js';
import type { Action } from '../../scheduler/actions.js';
import { decide } from '../../scheduler/decide.js';
import { bytes } from '../../serde/bytes-serde.js';
import { defineApp } from '../../topology/app.js';
import { TopologyBuilder } from '../../topology/topology-builder.js';

/** What a tick has seen. For how long it has seen that stand still is one of two things: not long, or a session time-out. */
export interface Sight {
  readonly members: readonly Member[];
  /** Slots whose item has stood still for a session time-out. */
  readonly still: ReadonlySet<Member['memberId']>;
  readonly leases: readonly Lease[];
  readonly plan: Plan | null;
  readonly isPlanOld: boolean;
  readonly failed: readonly Incarnation[];
  readonly wanted: number;
}

const TOPIC = 'input';
const topics: ReadonlyMap<string, TopicDescription> = new Map([
  [TOPIC, { name: TOPIC, partitions: 2, config: {}, topicId: 'input' }],
]);
const app = defineApp({
  applicationId: 'model',
  topology: new TopologyBuilder()
    .addSource('source', TOPIC, { key: bytes(), value: bytes() })
    .addProcessor('work', () => ({ process: () => undefined }), { parents: 'source' })
    .build(),
  settings: { idleTimeoutMs: 0, numStandbyReplicas: 0 },
});
const assignor = findAssignor(app.settings.assignor);
const { sessionTimeoutMs } = app.settings;

/** The actions of a tick that has seen this. Plans are written at time 0 and with no reason, so that equal plans are equal. */
export function decideUpon(sight: Sight): readonly Action[] {
  const { members, still, leases, plan, isPlanOld, failed, wanted } = sight;
  const { actions } = decide({
    app,
    assignor,
    wanted,
    load: null,
    weights: new Map(),
    heavy: null,
    tickReason: 'model',
    failed,
    resume: false,
    nowMs: 0,
    members: members.map((member) => ({ ...member, stillMs: still.has(member.memberId) ? sessionTimeoutMs : 0 })),
    leases,
    plan,
    planAgeMs: plan !== null && isPlanOld ? sessionTimeoutMs : 0,
    settingsDigest: '',
    holdsBack: false,
    topics,
    invocations: new Map(),
    inputs: new Map(),
    changelogs: new Map(),
    standbyAges: new Map(),
    releasedAges: new Map(),
  });
  return actions.map((action) =>
    action.type === 'WritePlan' ? { ...action, moves: [], plan: { ...action.plan, reason: '' } } : action,
  );
}
