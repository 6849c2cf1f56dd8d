/**
 * Ports on AWS and Kafka: tables in DynamoDB, snapshots in S3, functions in Lambda, the log on the brokers, log lines and metrics
 * through Powertools.
 *
 * Region, endpoint and credentials are the SDK's business, by its own rules (AWS_REGION, AWS_ENDPOINT_URL, the function's role).
 * A part is made when it is first used and kept for the execution environment, with its connections: what a function never
 * uses (the query takes no lease) costs it nothing and needs no permission.
 */
import { createNodeHost } from '../host/node/node-host.js';
import { createPowertoolsLogger } from '../host/powertools/powertools-logger.js';
import { createPowertoolsMetrics } from '../host/powertools/powertools-metrics.js';
import type { Invoker } from '../invoke/invoker.js';
import { createLambdaInvoker } from '../invoke/lambda/lambda-invoker.js';
import { createDynamoDbLeaseStore } from '../leases/dynamodb/dynamodb-lease-store.js';
import type { LeaseStore } from '../leases/lease-store.js';
import { createKafkaLog } from '../log/kafka/kafka-log.js';
import type { KafkaLogOptions } from '../log/kafka/kafka-log-options.js';
import { createS3SnapshotStore } from '../snapshots/s3/s3-snapshot-store.js';
import type { SnapshotStore } from '../snapshots/snapshot-store.js';
import type { StreamsApp } from '../topology/app.js';
import { type Environment, hasEndpoint, requiredVariable } from './environment.js';
import type { FunctionPorts } from './invocation.js';
import { kafkaLogOptions } from './kafka-environment.js';

/**
 * The set `aws`; docs/architecture.md lists its variables.
 *
 * @param kafka options of the Kafka log that variables do not have, or that take their place: tokens, MSK's IAM, certificates
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING if a variable of Kafka's is absent or wrong, or its secret; those of
 *   tables, bucket and functions are read, and missed, when they are first needed · {UnavailableError} STREAMS_UNAVAILABLE if no
 *   broker answers, or Secrets Manager does not
 * @example createTaskHandler(app, { ports: (environment, app) => awsPorts(environment, app, { tls: true, sasl: mskIam }) })
 */
export async function awsPorts(
  environment: Environment,
  app: StreamsApp,
  kafka: Partial<KafkaLogOptions> = {},
): Promise<FunctionPorts> {
  const { applicationId } = app;
  const logger = createPowertoolsLogger({ applicationId });
  const node = createNodeHost({ logger });
  const metrics = createPowertoolsMetrics({ applicationId, clock: node.clock, logger });
  const host = { ...node, metrics };
  const variable = (name: string): string => requiredVariable(environment, name);
  const log = await createKafkaLog({ ...(await kafkaLogOptions(environment, applicationId, host)), ...kafka });
  let isCold = true;
  let leases: LeaseStore | undefined;
  let snapshots: SnapshotStore | undefined;
  let invoker: Invoker | undefined;

  return {
    host,
    log,
    get leases() {
      leases ??= createDynamoDbLeaseStore({
        tables: {
          members: variable('MILLRACE_MEMBERS_TABLE'),
          leases: variable('MILLRACE_LEASES_TABLE'),
          plans: variable('MILLRACE_PLANS_TABLE'),
          ...historyTable(environment),
        },
        applicationId,
        host,
      });
      return leases;
    },
    get snapshots() {
      snapshots ??= createS3SnapshotStore({
        bucket: variable('MILLRACE_SNAPSHOTS_BUCKET'),
        // An emulator has one name for all buckets.
        clientConfig: { forcePathStyle: hasEndpoint(environment) },
      });
      return snapshots;
    },
    get invoker() {
      invoker ??= createLambdaInvoker({ functionNames: variable('MILLRACE_FUNCTION_PREFIX'), host });
      return invoker;
    },
    invocations: {
      started(context) {
        logger.startInvocation(context);
        if (isCold) metrics.count('cold-starts', 1);
        isCold = false;
      },
      ended: () => metrics.flush(),
    },
  };
}

function historyTable({ MILLRACE_HISTORY_TABLE: history }: Environment): { readonly history?: string } {
  return history ? { history } : {};
}
