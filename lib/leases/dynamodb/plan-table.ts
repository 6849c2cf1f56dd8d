/**
 * Plans as items: one row with the newest, which alone decides, and a ring of rows with the last ones, to read up why a task
 * moved. Nothing expires: a plan row lost to a time-to-live would start the numbers again (P3).
 *
 * ```
 *   row 0       the newest plan; a plan is written by one conditional write to it
 *   row 1…kept  plan n in row 1 + n mod kept, written after row 0; it may be missing after a crash, and decides nothing
 * ```
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Host } from '../../host/host.js';
import { InvalidAssignmentError, StreamsError } from '../../model/errors.js';
import type { PlanTable } from '../lease-store.js';
import type { Plan } from '../records.js';
import { count, type Item, ItemReader } from './attributes.js';
import { planOf } from './json-values.js';
import { packed, packedBytes } from './packed-text.js';
import type { Table } from './table.js';

/** Bytes of a plan at most, as it is stored: an item of DynamoDB holds 400 KB with all its names. */
export const MAX_PLAN_BYTES = 350 * 1024;

const NEWEST_ROW = 0;

export interface PlanTableOptions {
  readonly table: Table;
  readonly host: Pick<Host, 'logger'>;
  /** Newest plans that are kept; at least 1. */
  readonly plansKept: number;
}

/** The table of plans: key `row`. */
export function createPlanTable({ table, host, plansKept }: PlanTableOptions): PlanTable {
  const readRow = async (row: number): Promise<Plan | null> => {
    const item = await table.read(count(row));
    return item === null ? null : planIn(table.name, item);
  };
  const rowOf = (number: number) => NEWEST_ROW + 1 + (number % plansKept);

  /** Not worth an error: the plan is in force. */
  const keep = async (plan: Plan, body: AttributeValue): Promise<void> => {
    try {
      await table.update(writeRow(rowOf(plan.number), plan.number, body, KEPT_BEFORE));
    } catch (thrown) {
      if (!(thrown instanceof StreamsError)) throw thrown;
      host.logger.warn('plan-not-kept', { plan: plan.number, code: thrown.code, message: thrown.message });
    }
  };

  return {
    readPlan: () => readRow(NEWEST_ROW),
    async writePlan(plan, { anew } = { anew: false }) {
      const body = bodyOf(plan);
      const condition = anew || plan.number === 1 ? NO_PLAN : FOLLOWS;
      const { applied, item } = await table.update(writeRow(NEWEST_ROW, plan.number, body, condition));
      if (!applied) return { applied, item: item === null ? null : planIn(table.name, item) };
      await keep(plan, body);
      return { applied, item: plan };
    },
    async readPlanNumber(number) {
      const kept = await readRow(rowOf(number));
      if (kept?.number === number) return kept;
      const newest = await readRow(NEWEST_ROW);
      return newest?.number === number ? newest : null;
    },
  };
}

/** The first plan: there is no row yet, or it was deleted by hand. Of two schedulers one makes it. */
const NO_PLAN = 'attribute_not_exists(#row)';
/** `number = ours − 1`: nobody has written a plan since the one that ours was made from (P3). */
const FOLLOWS = '#number = :previous';
/** The row is empty or holds an older plan: a scheduler that comes late replaces nothing newer. */
const KEPT_BEFORE = 'attribute_not_exists(#row) OR #number < :number';

function writeRow(row: number, number: number, body: AttributeValue, condition: string) {
  return {
    kind: 'writePlan',
    key: count(row),
    condition,
    set: ['#number = :number', '#plan = :plan'],
    values: {
      number: count(number),
      plan: body,
      ...(condition === FOLLOWS ? { previous: count(number - 1) } : {}),
    },
  };
}

/** @throws {InvalidAssignmentError} STREAMS_INVALID_ASSIGNMENT if it is too large for an item */
function bodyOf(plan: Plan): AttributeValue {
  const body = packed(JSON.stringify(plan));
  const bytes = packedBytes(body);
  if (bytes <= MAX_PLAN_BYTES) return body;
  throw new InvalidAssignmentError(
    `plan ${plan.number} takes ${bytes} bytes, compressed; the table holds ${MAX_PLAN_BYTES}`,
    {
      details: { plan: plan.number, bytes, maxBytes: MAX_PLAN_BYTES },
      remedy:
        'Divide the application: this many tasks, standbys and topics do not fit one plan. The old plan stays in force.',
    },
  );
}

function planIn(table: string, item: Item): Plan {
  const reader = new ItemReader(table, item);
  const number = reader.count('number');
  return reader.json('plan', (value) => {
    const plan = planOf(value);
    if (plan.number !== number) throw new TypeError(`plan ${plan.number} under number ${number}`);
    return plan;
  });
}
