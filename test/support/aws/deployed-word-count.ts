/** Word count on AWS's API: the functions deployed to an emulator, their topics on a real broker, seen from outside alone. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import wordCount from '../../../functions/app.js';
import type { Log } from '../../../lib/log/log.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { type KafkaCluster, startKafka } from '../kafka/kafka-cluster.js';
import { openLog } from '../kafka/log-kit.js';
import { textOfWords } from '../text-of-words.js';
import { sleep, waitFor } from '../wait-for.js';
import { differences, readCounts } from '../word-count-reader.js';
import { type DeployedFunction, type Deployment, type DeploymentOptions, deploy } from './deployment.js';
import { type Emulator, startEmulator } from './emulator.js';
import { type Item, OutsideView } from './outside-view.js';

export const PARTITIONS = 2;
const CHUNK_LINES = 50;
const COUNTED_MS = 90_000;
/** Between two looks over HTTP. */
const LOOK_MS = 100;

/** A slot as its item says. */
export interface SeenMember {
  readonly memberId: string;
  readonly status: string;
  readonly incarnation: number;
}

/** Looks again and again until there is something. @throws {Error} naming what it waited for */
export function until<T>(what: string, look: () => Promise<T | undefined | false>, timeoutMs = COUNTED_MS): Promise<T> {
  return waitFor(
    what,
    async () => {
      const found = await look();
      if (found === undefined || found === false) await sleep(LOOK_MS);
      return found;
    },
    timeoutMs,
  );
}

export class DeployedWordCount {
  readonly kafka: KafkaCluster;
  readonly emulator: Emulator;
  readonly log: Log;
  readonly deployment: Deployment;
  readonly view: OutsideView;
  /** How often each word was fed so far. */
  readonly fed = new Map<string, number>();
  private seed = 1;
  private lines = 0;

  private constructor(parts: Pick<DeployedWordCount, 'kafka' | 'emulator' | 'log' | 'deployment' | 'view'>) {
    this.kafka = parts.kafka;
    this.emulator = parts.emulator;
    this.log = parts.log;
    this.deployment = parts.deployment;
    this.view = parts.view;
  }

  /** Starts a broker and an emulator and deploys; nothing runs before somebody invokes a function, or a minute has passed. */
  static async start(options: Pick<DeploymentOptions, 'settings' | 'taskTimeoutS'>): Promise<DeployedWordCount> {
    const [kafka, emulator] = await Promise.all([startKafka({ brokers: 1 }), startEmulator()]);
    const log = await openLog(kafka.brokers);
    for (const name of ['lines', 'counts']) await log.createTopic({ name, partitions: PARTITIONS, config: {} });
    const deployment = await deploy({ ...options, emulator, brokers: kafka.brokers });
    const view = await OutsideView.of(emulator, wordCount.applicationId);
    return new DeployedWordCount({ kafka, emulator, log, deployment, view });
  }

  async stop(): Promise<void> {
    await this.deployment.close();
    await this.emulator.stop();
    await this.log.close();
    await this.kafka.stop();
  }

  /** What EventBridge sends every minute, now. */
  tick(): Promise<void> {
    return this.view.invoke('scheduler', { source: 'aws.events', 'detail-type': 'Scheduled Event' });
  }

  /** Writes lines of text, another one each time, over the partitions. */
  async feed(lineCount: number): Promise<void> {
    this.seed += 1;
    const text = textOfWords(lineCount, this.seed);
    for (const [word, count] of text.counts) this.fed.set(word, (this.fed.get(word) ?? 0) + count);
    for (let from = 0; from < lineCount; from += CHUNK_LINES) {
      await this.append(text.lines.slice(from, from + CHUNK_LINES), this.lines % PARTITIONS);
      this.lines += 1;
    }
  }

  /** Writes one line to one partition. */
  async feedLine(line: string, partition: number): Promise<void> {
    for (const word of line.split(' ')) this.fed.set(word, (this.fed.get(word) ?? 0) + 1);
    await this.append([line], partition);
  }

  /** Writes lines at a steady pace until it is told to end. */
  feedAlong(): { end(): Promise<void> } {
    let isOver = false;
    const feeding = (async () => {
      while (!isOver) {
        await this.feed(CHUNK_LINES);
        await sleep(LOOK_MS);
      }
    })();
    return {
      end: () => {
        isOver = true;
        return feeding;
      },
    };
  }

  /** What is wrong with the counts on the broker, read committed; empty: each word was counted 1, 2, … n. */
  async wrong(): Promise<readonly string[]> {
    return differences(await readCounts(this.log, 'counts', PARTITIONS), this.fed);
  }

  /** Waits until all that was fed is counted. @throws {Error} if it is not, or more than that is */
  async untilCounted(timeoutMs = COUNTED_MS): Promise<void> {
    await until('all that was fed to be counted', async () => (await this.wrong()).length === 0, timeoutMs);
  }

  /** Whether some transaction is open on the topic of counts. */
  async isInTransaction(): Promise<boolean> {
    const all = Array.from({ length: PARTITIONS }, (_, partition) => ({ topic: 'counts', partition }));
    const stable = await this.log.listOffsets(all, 'lastStable');
    const ends = await this.log.listOffsets(all, 'highWatermark');
    return all.some((at) => (stable.get(topicPartitionKey(at)) ?? 0) < (ends.get(topicPartitionKey(at)) ?? 0));
  }

  async members(): Promise<readonly SeenMember[]> {
    return (await this.view.members()).map((item) => ({
      memberId: textOf(item, 'memberId'),
      status: textOf(item, 'status'),
      incarnation: numberOf(item, 'incarnation'),
    }));
  }

  /** Waits until so many slots are claimed, and no other is. */
  untilClaimed(count: number, timeoutMs?: number): Promise<readonly SeenMember[]> {
    return until(
      `${count} claimed slots`,
      async () => {
        const claimed = (await this.members()).filter(({ status }) => status === 'claimed');
        return claimed.length === count && claimed;
      },
      timeoutMs,
    );
  }

  /** Waits until no slot is claimed. */
  untilAsleep(timeoutMs?: number): Promise<unknown> {
    return until(
      'every member to end',
      async () => (await this.members()).every(({ status }) => status !== 'claimed' && status !== 'draining'),
      timeoutMs,
    );
  }

  /**
   * Waits until nothing is left to do. Two ticks follow on the end of the last member: the first sees it, and by the second the
   * standby is due for the last time.
   */
  async untilIdle(snapshotIntervalMs: number): Promise<void> {
    await this.untilAsleep();
    for (let ticks = 0; ticks < 2; ticks += 1) {
      await this.tick();
      await sleep(snapshotIntervalMs);
    }
  }

  /** Invocations of each function that have ended. */
  async invocations(): Promise<Readonly<Record<DeployedFunction, number>>> {
    const [scheduler, task, standby, query] = await Promise.all(
      (['scheduler', 'task', 'standby', 'query'] as const).map((name) => this.view.invocations(name)),
    );
    return { scheduler: scheduler ?? 0, task: task ?? 0, standby: standby ?? 0, query: query ?? 0 };
  }

  /** Epochs of the leases, by task: how often each was taken. */
  async epochs(): Promise<ReadonlyMap<string, number>> {
    return new Map((await this.view.leases()).map((item) => [textOf(item, 'taskId'), numberOf(item, 'epoch')]));
  }

  private async append(lines: readonly string[], partition: number): Promise<void> {
    const builder = new RecordSetBuilder();
    for (const line of lines) builder.append(null, Buffer.from(line), Date.now());
    await this.log.append({ topic: 'lines', partition }, builder.build());
  }
}

/** A text attribute. @throws {Error} if it is none */
export function textOf(item: Item, name: string): string {
  const value: AttributeValue | undefined = item[name];
  if (value?.S === undefined) throw new Error(`${name} is no text: ${JSON.stringify(item)}`);
  return value.S;
}

/** A number attribute. @throws {Error} if it is none */
export function numberOf(item: Item, name: string): number {
  const value: AttributeValue | undefined = item[name];
  if (value?.N === undefined) throw new Error(`${name} is no number: ${JSON.stringify(item)}`);
  return Number(value.N);
}
