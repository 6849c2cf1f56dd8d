import { isRun } from '../../leases/rules.js';
import { subTopologyOf } from '../../topology/topology.js';
import type { ApplicationView } from '../application-view.js';

export interface DescribedSubTopology {
  readonly id: number;
  readonly sourceTopics: readonly string[];
  readonly stores: readonly string[];
}

export interface DescribeReport {
  readonly applicationId: string;
  /** As `Topology.describe` prints it; null: only the application's id was given. */
  readonly topology: string | null;
  readonly subTopologies: readonly DescribedSubTopology[];
  /** Settings as they are; null like the topology. */
  readonly settings: Readonly<Record<string, unknown>> | null;
  readonly plan: { readonly number: number; readonly reason: string; readonly assignor: string } | null;
  /** Why the application rests; null: it does not. */
  readonly rest: { readonly memberId: string; readonly code: string; readonly message: string } | null;
  readonly slots: number;
  /** Slots that are run now. */
  readonly running: number;
  readonly tasks: number;
  /** Tasks that nobody holds. */
  readonly unowned: number;
}

/** An application at a glance. */
export async function reportDescription({ applicationId, app, leases }: ApplicationView): Promise<DescribeReport> {
  const [members, held, plan] = await Promise.all([leases.listMembers(), leases.listLeases(), leases.readPlan()]);
  const planned = new Set(Object.values(plan?.assignment ?? {}).flatMap(({ active }) => active));
  const owned = new Set(held.filter(({ owner }) => owner !== null).map(({ taskId }) => taskId));
  const ids = app?.topology.subTopologies.map(({ id }) => id) ?? [];
  return {
    applicationId,
    topology: app?.topology.describe() ?? null,
    subTopologies: ids.map((id) => {
      const { sourceTopics = [], stores = [] } = (app && subTopologyOf(app.topology, id)) ?? {};
      return { id, sourceTopics, stores };
    }),
    settings: app === null ? null : { ...app.settings },
    plan: plan === null ? null : { number: plan.number, reason: plan.reason, assignor: plan.assignor },
    rest:
      plan?.rest === undefined
        ? null
        : { memberId: plan.rest.memberId, code: plan.rest.code, message: plan.rest.message },
    slots: members.length,
    running: members.filter(isRun).length,
    tasks: planned.size,
    unowned: [...planned].filter((taskId) => !owned.has(taskId)).length,
  };
}
