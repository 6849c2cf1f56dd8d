/** Word count on AWS's API: the functions deployed, their topics on a real broker, seen from outside alone. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import wordCount from '../../../examples/wordcount/word-count.js';
import type { Incarnation } from '../../../lib/leases/records.js';
import type { Log } from '../../../lib/log/log.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { textOfWords } from '../text-of-words.js';
import { sleep } from '../wait-for.js';
import { differences, readCounts } from '../word-count-reader.js';
import { type DeployedFunction, type Deployment, type DeploymentOptions, deploy } from './deployment.js';
import { endProcess, stopInTransaction } from './function-process.js';
import { type FunctionsBroker, openBroker } from './functions-broker.js';
import { type OpenTarget, openTarget } from './open-target.js';
import { type Item, OutsideView } from './outside-view.js';
import { LOOK_MS, until } from './patience.js';

export const PARTITIONS = 2;
const CHUNK_LINES = 50;

/** Its topics: those of the topology, and the internal ones. */
const isOurTopic = (topic: string): boolean =>
  topic === 'lines' || topic === 'counts' || topic.startsWith(`${wordCount.applicationId}-`);

/** A slot as its item says. */
export interface SeenMember extends Incarnation {
  readonly status: string;
}

export interface WordCountOptions extends Pick<DeploymentOptions, 'settings' | 'taskTimeoutS'> {
  /** Opens another broker than functions-broker.ts does. */
  readonly brokerAt?: (target: OpenTarget) => Promise<FunctionsBroker>;
}

export class DeployedWordCount {
  readonly target: OpenTarget;
  readonly broker: FunctionsBroker;
  readonly deployment: Deployment;
  readonly view: OutsideView;
  /** How often each word was fed so far. */
  readonly fed = new Map<string, number>();
  private seed = 1;
  private lines = 0;

  private constructor(parts: Pick<DeployedWordCount, 'target' | 'broker' | 'deployment' | 'view'>) {
    this.target = parts.target;
    this.broker = parts.broker;
    this.deployment = parts.deployment;
    this.view = parts.view;
  }

  /** Opens target and broker and deploys; nothing runs before somebody invokes a function, or a minute has passed. */
  static async start({
    brokerAt = (target) => openBroker(target, isOurTopic),
    ...options
  }: WordCountOptions): Promise<DeployedWordCount> {
    const opened: (() => Promise<void>)[] = [];
    try {
      const target = await openTarget();
      opened.unshift(() => target.stop());
      const broker = await brokerAt(target);
      opened.unshift(() => broker.stop());
      for (const name of ['lines', 'counts'])
        await broker.log.createTopic({ name, partitions: PARTITIONS, config: {} });
      const deployment = await deploy({ ...options, target, kafka: broker.environment });
      opened.unshift(() => deployment.close());
      const view = await OutsideView.of(target, wordCount.applicationId);
      return new DeployedWordCount({ target, broker, deployment, view });
    } catch (error) {
      for (const close of opened) await close();
      throw error;
    }
  }

  /** Removes what was made and ends what was started, all of it whatever fails. @throws the first failure */
  async stop(): Promise<void> {
    const ends = await Promise.allSettled([this.deployment.close()]);
    ends.push(...(await Promise.allSettled([this.target.stop(), this.broker.stop()])));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }

  get log(): Log {
    return this.broker.log;
  }

  /** Ends the process of a task function that runs. */
  endProcess(): Promise<void> {
    return endProcess(this.target, this.view);
  }

  /** Stops the process of the task function while a transaction is open, so that Lambda's time-out ends it. */
  stopInTransaction(): Promise<void> {
    return stopInTransaction(this.target, this.view, () => this.isInTransaction());
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

  /** Writes one line to one partition. @param timestampMs of the record */
  async feedLine(line: string, partition: number, timestampMs = Date.now()): Promise<void> {
    for (const word of line.split(' ')) this.fed.set(word, (this.fed.get(word) ?? 0) + 1);
    await this.append([line], partition, timestampMs);
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
  async untilCounted(timeoutMs?: number): Promise<void> {
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
      memberId: textOf(item, 'memberId') as Incarnation['memberId'],
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

  private async append(lines: readonly string[], partition: number, timestampMs = Date.now()): Promise<void> {
    const builder = new RecordSetBuilder();
    for (const line of lines) builder.append(null, Buffer.from(line), timestampMs);
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
