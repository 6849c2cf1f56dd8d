/** What the restores of a member's tasks share: their places in line, their pace, and the memory that they fill. */

import type { Logger } from '../host/host.js';
import type { Incarnation, MemberReport, Plan, RestoreReport } from '../leases/records.js';
import { isRun } from '../leases/rules.js';
import type { TaskId } from '../model/task-id.js';
import type { StreamsApp } from '../topology/app.js';
import type { RuntimePorts } from './ports.js';
import { RestorePace } from './restore-pace.js';
import { RestorePlaces } from './restore-places.js';
import { STATE_PART_OF_MEMORY, StateBudget } from './state-budget.js';

export interface MemberRestoresInit {
  readonly app: StreamsApp;
  readonly ports: RuntimePorts;
  readonly self: Incarnation;
  readonly logger: Logger;
  /** Memory of the process; absent: nobody says. */
  readonly memoryBytes: number | undefined;
  /** As `reported` of heartbeat.ts. */
  readonly reported: () => Promise<void>;
  /** There is something new to report. */
  readonly changed: () => void;
}

export class MemberRestores {
  readonly places: RestorePlaces;
  readonly budget: StateBudget;
  /** Null: as fast as it goes. */
  readonly pace: RestorePace | null;

  constructor({ app, ports, self, logger, memoryBytes, reported, changed }: MemberRestoresInit) {
    const { clock, random, metrics } = ports.host;
    const { maxConcurrentRestores, restoreMaxBytesPerSecond: maxBytesPerSecond } = app.settings;
    const readOthers = () => readRestoresOfOthers(ports, self);
    this.places = new RestorePlaces({
      clock,
      random,
      logger,
      limit: maxConcurrentRestores,
      reported,
      readOthers,
      changed,
    });
    this.budget = new StateBudget({ budgetBytes: budgetOf(app, memoryBytes), logger, metrics });
    this.pace =
      maxBytesPerSecond === 0
        ? null
        : new RestorePace({ maxBytesPerSecond, maxConcurrent: maxConcurrentRestores, nowMs: clock.monotonic() });
  }

  /** The part of a heartbeat that is about restores. @param starting tasks that run here and can not process yet */
  report(starting: readonly TaskId[]): Pick<MemberReport, 'restores' | 'refused'> {
    const inLine = this.places.report();
    const known = new Set(inLine.filter(({ copy }) => copy !== true).map(({ taskId }) => taskId));
    const others = starting.filter((taskId) => !known.has(taskId));
    const restores = [
      ...inLine,
      ...others.map((taskId): RestoreReport => ({ taskId, state: 'starting', leftBytes: 0 })),
    ];
    const refused = this.budget.report();
    return { ...(restores.length === 0 ? {} : { restores }), ...(refused.length === 0 ? {} : { refused }) };
  }

  /** Goes by another plan: who shares the pace, by tasks or by copies, and whose refusals are past. */
  follow(plan: Plan | null, wanted: ReadonlySet<TaskId>): void {
    const reading = Object.values(plan?.assignment ?? {}).filter(
      ({ active, standby, warmup }) => active.length + standby.length + warmup.length > 0,
    );
    this.pace?.shareAmong(Math.max(1, reading.length));
    this.budget.keepOnly(wanted);
  }

  /** The run of a task has ended. */
  ended(taskId: TaskId): void {
    this.places.leave({ taskId });
    this.budget.drop(taskId);
  }
}

async function readRestoresOfOthers(
  { leases }: Pick<RuntimePorts, 'leases'>,
  { memberId }: Incarnation,
): Promise<readonly RestoreReport[]> {
  const members = await leases.listMembers();
  return members
    .filter((one) => one.memberId !== memberId && isRun(one))
    .flatMap(({ report }) => report.restores ?? []);
}

function budgetOf({ settings }: StreamsApp, memoryBytes: number | undefined): number | null {
  if (settings.maxStateBytesPerMember > 0) return settings.maxStateBytesPerMember;
  return memoryBytes === undefined ? null : Math.floor(memoryBytes * STATE_PART_OF_MEMORY);
}
