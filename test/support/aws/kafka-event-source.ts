/**
 * What no free emulator does: a Kafka event source mapping. Reads a topic of a real broker and invokes the task function with
 * the payload that Lambda makes of the records, for Amazon MSK or for self-managed Kafka.
 */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Log } from '../../../lib/log/log.js';
import { type Offset, offset } from '../../../lib/model/offset.js';
import type { LogRecord } from '../../../lib/model/record-set.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';

/** Records of one event, as a mapping's `BatchSize`. */
const batchSize = 100;
const maxBytes = 256 * 1024;
const pollMs = 100;

export interface KafkaEventSourceOptions {
  readonly log: Log;
  readonly lambda: LambdaClient;
  readonly functionName: string;
  readonly bootstrapServers: string;
  readonly topic: string;
  readonly partitions: number;
  /** ARN of an MSK cluster; absent: the cluster is self-managed. */
  readonly eventSourceArn?: string;
}

export interface KafkaEventSource {
  /** Events that the function was invoked with so far. */
  readonly events: number;
  /** Invocations that failed, and were repeated as on AWS. */
  readonly failures: number;
  stop(): Promise<void>;
}

/** Starts at the end of each partition (`StartingPosition: LATEST`). */
export async function startKafkaEventSource(options: KafkaEventSourceOptions): Promise<KafkaEventSource> {
  const { log, topic, partitions } = options;
  const all = Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  const ends = await log.listOffsets(all, 'highWatermark');
  const stopping = new AbortController();
  const counts = { events: 0, failures: 0 };
  const polling = Promise.all(
    all.map((at) => poll(options, at.partition, ends.get(topicPartitionKey(at)) ?? offset(0), stopping.signal, counts)),
  );
  // Whatever ends the polling is thrown to who stops it.
  polling.catch(() => undefined);
  return {
    get events() {
      return counts.events;
    },
    get failures() {
      return counts.failures;
    },
    async stop() {
      stopping.abort();
      await polling;
    },
  };
}

async function poll(
  options: KafkaEventSourceOptions,
  partition: number,
  from: Offset,
  signal: AbortSignal,
  counts: { events: number; failures: number },
): Promise<void> {
  let fromOffset = from;
  while (!signal.aborted) {
    const [result] = await options.log.fetch([{ topic: options.topic, partition, fromOffset }], {
      isolation: 'readCommitted',
      maxWaitMs: pollMs,
      maxBytes,
    });
    const records = [...(result?.records ?? [])];
    for (let first = 0; first < records.length && !signal.aborted; ) {
      counts.events += 1;
      const isDone = await invoke(options, partition, records.slice(first, first + batchSize));
      if (isDone) first += batchSize;
      else counts.failures += 1; // the batch blocks its partition and is tried again, as on AWS
    }
    fromOffset = result?.nextOffset ?? fromOffset;
  }
}

/** Waits for the function's end, as a mapping does. @returns whether it succeeded */
async function invoke(
  options: KafkaEventSourceOptions,
  partition: number,
  records: readonly LogRecord[],
): Promise<boolean> {
  const { lambda, functionName } = options;
  const Payload = JSON.stringify(kafkaEvent(options, partition, records));
  const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName: functionName, Payload }));
  return FunctionError === undefined;
}

/** The payload; null keys and values are left out of it, as Lambda does. */
export function kafkaEvent(
  {
    bootstrapServers,
    topic,
    eventSourceArn,
  }: Pick<KafkaEventSourceOptions, 'bootstrapServers' | 'topic' | 'eventSourceArn'>,
  partition: number,
  records: readonly LogRecord[],
): unknown {
  return {
    ...(eventSourceArn === undefined
      ? { eventSource: 'SelfManagedKafka' }
      : { eventSource: 'aws:kafka', eventSourceArn }),
    bootstrapServers,
    records: {
      [`${topic}-${partition}`]: records.map(({ offset, timestampMs, key, value, headers }) => ({
        topic,
        partition,
        offset,
        timestamp: timestampMs,
        timestampType: 'CREATE_TIME',
        ...(key === null ? {} : { key: Buffer.from(key).toString('base64') }),
        ...(value === null ? {} : { value: Buffer.from(value).toString('base64') }),
        headers: headers.map((header) => ({ [header.key]: [...(header.value ?? [])] })),
      })),
    },
  };
}
