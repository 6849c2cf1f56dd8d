/** From options and environment variables to somebody who answers: the tables on AWS, or the process of an embedded application. */
import { createJsonLinesLogger } from '../host/node/json-lines-logger.js';
import { createNodeHost } from '../host/node/node-host.js';
import { appInEnvironment, type Environment, hasEndpoint } from '../lambda/environment.js';
import { kafkaLogOptions } from '../lambda/kafka-environment.js';
import { createDynamoDbLeaseStore } from '../leases/dynamodb/dynamodb-lease-store.js';
import { createKafkaLog, type KafkaLog } from '../log/kafka/kafka-log.js';
import { createS3SnapshotStore } from '../snapshots/s3/s3-snapshot-store.js';
import { askSocket } from './inspection.js';
import { loadApp } from './load-app.js';
import { type Answers, answer, type Command, type Request } from './request.js';
import { UsageError } from './usage-error.js';

/** Options that say which application is meant. */
export interface ConnectionOptions {
  readonly app?: string;
  readonly applicationId?: string;
  readonly socket?: string;
  readonly membersTable?: string;
  readonly leasesTable?: string;
  readonly plansTable?: string;
  readonly historyTable?: string;
  readonly snapshotsBucket?: string;
}

/** Somebody who answers. */
export interface Connection {
  ask<C extends Command>(request: Request<C>): Promise<Answers[C]>;
  close(): Promise<void>;
}

/**
 * Connects; nothing is sent yet.
 *
 * @throws {UsageError} STREAMS_COMMAND_REFUSED if the options name no application, or two
 */
export async function connect(options: ConnectionOptions, environment: Environment): Promise<Connection> {
  const { socket } = options;
  if (socket === undefined) return connectToTables(options, environment);
  const others = Object.keys(options).filter((name) => name !== 'socket');
  if (others.length > 0)
    throw new UsageError(`--socket goes without other options of connection (${others.join(', ')})`);
  return { ask: (request) => askSocket(socket, request), close: async () => {} };
}

async function connectToTables(options: ConnectionOptions, environment: Environment): Promise<Connection> {
  const loaded = options.app === undefined ? null : await loadApp(options.app);
  const app = loaded === null ? null : appInEnvironment(loaded, environment);
  const applicationId = options.applicationId ?? app?.applicationId;
  if (applicationId === undefined)
    throw new UsageError('which application?', {
      remedy: 'Give --app <module>, or --application-id <id>; or --socket <path> of an embedded one.',
    });
  const table = (flag: string, given: string | undefined, variable: string): string => {
    const name = given ?? environment[variable];
    if (name) return name;
    throw new UsageError(`which table? Neither ${flag} nor ${variable} is given`, {
      remedy: 'Give the tables as the functions have them (the stack has them among its outputs); docs/cli.md.',
    });
  };
  const openSnapshots = () => {
    const bucket = options.snapshotsBucket ?? environment.MILLRACE_SNAPSHOTS_BUCKET;
    if (!bucket)
      throw new UsageError('which bucket? Neither --snapshots-bucket nor MILLRACE_SNAPSHOTS_BUCKET is given', {
        remedy:
          'Give the bucket of snapshots as the functions have it (the stack has it among its outputs); docs/cli.md.',
      });
    return createS3SnapshotStore({ bucket, clientConfig: { forcePathStyle: hasEndpoint(environment) } });
  };
  const history = options.historyTable ?? environment.MILLRACE_HISTORY_TABLE;
  const host = createNodeHost({ logger: createJsonLinesLogger({ level: 'silent' }) });
  const leases = createDynamoDbLeaseStore({
    tables: {
      members: table('--members-table', options.membersTable, 'MILLRACE_MEMBERS_TABLE'),
      leases: table('--leases-table', options.leasesTable, 'MILLRACE_LEASES_TABLE'),
      plans: table('--plans-table', options.plansTable, 'MILLRACE_PLANS_TABLE'),
      ...(history ? { history } : {}),
    },
    applicationId,
    host,
  });
  let log: KafkaLog | null = null;
  const openLog = async (): Promise<KafkaLog> => {
    log ??= await createKafkaLog(await kafkaLogOptions(environment, `${applicationId}-cli`, host));
    return log;
  };
  return {
    ask: (request) => {
      const nowMs = host.clock.now();
      return answer({ applicationId, app, leases, log: openLog, snapshots: openSnapshots, host, nowMs }, request);
    },
    async close() {
      await log?.close();
    },
  };
}
