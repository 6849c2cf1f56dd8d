/**
 * The lease port on DynamoDB: three tables (infra/tables.yml), each write one conditional update, and a fourth for history.
 *
 * It holds no rule of who should write (rules.ts) and reads no clock but to pause between attempts. Calls are `GetItem`,
 * `UpdateItem` and `Query` alone, and `PutItem` for history, so that is all that a role can need.
 */
import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import type { Host } from '../../host/host.js';
import type { LeaseStore } from '../lease-store.js';
import { createHistoryTable, noHistory } from './history-table.js';
import { createLeaseTable } from './lease-table.js';
import { createMemberTable } from './member-table.js';
import { createPlanTable } from './plan-table.js';
import { Table } from './table.js';

/** Plans kept unless told otherwise: enough to see why a task moved during the last hours. */
export const DEFAULT_PLANS_KEPT = 100;

/** Writes of one kind among which one still finds that it has applied (W3 of table.ts). A member's item is written most often. */
const MEMBER_MARKS = 2;
export const LEASE_MARKS = 4;
const PLAN_MARKS = 4;
/** Entries of history are written once and never updated. */
const HISTORY_MARKS = 1;

const CONNECT_TIMEOUT_MS = 1_000;
/** A table answers in milliseconds; what takes longer is lost, and asked again. */
const REQUEST_TIMEOUT_MS = 2_000;

export interface DynamoDbLeaseStoreOptions {
  /** A client of the caller's; its own retries do no harm. */
  readonly client?: DynamoDBClient;
  /** Settings of the client that is made where none is given: endpoint, region, credentials. */
  readonly clientConfig?: DynamoDBClientConfig;
  /** Names or ARNs. */
  readonly tables: {
    readonly members: string;
    readonly leases: string;
    readonly plans: string;
    /** Absent: no history is kept. */
    readonly history?: string;
  };
  /** One set of tables serves many applications. */
  readonly applicationId: string;
  readonly host: Host;
  /** Newest plans that `readPlanNumber` still finds; at least 1. */
  readonly plansKept?: number;
}

/**
 * Opens the tables of one application; nothing is sent yet.
 *
 * Every method throws {@link UnavailableError} STREAMS_UNAVAILABLE where the table was throttled or away for longer than the
 * retries last (retrier.ts), {@link InvalidSettingError} STREAMS_INVALID_SETTING where table, right or credentials are
 * missing, and {@link MalformedItemError} STREAMS_MALFORMED_ITEM for an item that this library has not written.
 */
export function createDynamoDbLeaseStore(options: DynamoDbLeaseStoreOptions): LeaseStore {
  const { tables, applicationId, host } = options;
  const client = options.client ?? createClient(options.clientConfig ?? {});
  const open = (name: string, keyName: string, marksKept: number) =>
    new Table({ client, host, name, applicationId, keyName, marksKept });
  return {
    ...createMemberTable(open(tables.members, 'memberId', MEMBER_MARKS)),
    ...createLeaseTable(open(tables.leases, 'taskId', LEASE_MARKS)),
    ...createPlanTable({
      table: open(tables.plans, 'row', PLAN_MARKS),
      host,
      plansKept: Math.max(1, options.plansKept ?? DEFAULT_PLANS_KEPT),
    }),
    ...(tables.history === undefined
      ? noHistory
      : createHistoryTable(open(tables.history, 'entry', HISTORY_MARKS), host)),
  };
}

/** A client that gives up a request early and leaves repetition to us, who know what it means. */
function createClient(config: DynamoDBClientConfig): DynamoDBClient {
  return new DynamoDBClient({
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      throwOnRequestTimeout: true,
    },
    ...config,
  });
}
