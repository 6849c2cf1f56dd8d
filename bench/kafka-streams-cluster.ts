import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { waitFor } from '../test/support/wait-for.js';

const SETTLED_WITHIN_MS = 120_000;

export interface KafkaStreamsClusterOptions {
  readonly applicationId: string;
  readonly brokers: readonly string[];
  /** Of `KafkaStreamsMember` and its jars. */
  readonly classPath: string;
  readonly input: string;
  readonly output: string;
  readonly members: number;
  readonly partitions: number;
  readonly standbys: number;
  readonly sessionTimeoutMs: number;
  readonly heartbeatIntervalMs: number;
  readonly commitIntervalMs: number;
}

interface Member {
  readonly child: ChildProcess;
  active: readonly number[];
  standby: readonly number[];
  state: string;
  /** Wall clock of each change to `REBALANCING`. */
  readonly rebalancingAtMs: number[];
}

/** Instances of Kafka Streams, each in a Java process of its own (peers/KafkaStreamsMember.java), that share partitions evenly. */
export class KafkaStreamsCluster {
  private readonly options: KafkaStreamsClusterOptions;
  private readonly members: Member[] = [];

  private constructor(options: KafkaStreamsClusterOptions) {
    this.options = options;
  }

  static async start(
    options: KafkaStreamsClusterOptions,
    cleanUps: (() => Promise<unknown>)[],
  ): Promise<KafkaStreamsCluster> {
    const cluster = new KafkaStreamsCluster(options);
    const dir = await mkdtemp(join(tmpdir(), 'kafka-streams-'));
    cleanUps.push(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
    cleanUps.push(async () => {
      for (const { child } of cluster.members) child.kill('SIGKILL');
    });
    for (let number = 1; number <= options.members; number += 1) cluster.begin(join(dir, String(number)));
    return cluster;
  }

  /** Waits until each instance has its part of the tasks, and standbys of as many. */
  async untilSettled(): Promise<void> {
    const { partitions, standbys } = this.options;
    const part = partitions / this.options.members;
    const isSettled = () =>
      this.members.every(
        ({ state, active, standby }) =>
          state === 'RUNNING' && active.length === part && standby.length === part * standbys,
      );
    await waitFor('the instances of Kafka Streams to share the tasks', async () => isSettled(), SETTLED_WITHIN_MS);
  }

  /** Kills the first instance (SIGKILL). @returns when, and the partitions of its tasks */
  kill(): { readonly atMs: number; readonly partitions: readonly number[] } {
    const member = this.members.shift();
    if (member === undefined) throw new Error('nobody is left');
    const atMs = Date.now();
    member.child.kill('SIGKILL');
    return { atMs, partitions: member.active };
  }

  /** When a surviving instance first heard of a rebalance after a moment. */
  detectedAfter(atMs: number): number {
    const heard = this.members.flatMap(({ rebalancingAtMs }) => rebalancingAtMs.filter((each) => each > atMs));
    return Math.min(...heard);
  }

  private begin(stateFolder: string): void {
    const { applicationId, brokers, classPath, input, output, standbys, ...times } = this.options;
    const { sessionTimeoutMs, heartbeatIntervalMs, commitIntervalMs } = times;
    const options = ['-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-cp', classPath];
    const figures = [sessionTimeoutMs, heartbeatIntervalMs, commitIntervalMs, standbys].map(String);
    const child = spawn(
      'java',
      [...options, 'KafkaStreamsMember', applicationId, input, output, stateFolder, ...figures],
      { env: { ...process.env, KAFKA_BROKERS: brokers.join(',') }, stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const member: Member = { child, active: [], standby: [], state: '', rebalancingAtMs: [] };
    this.members.push(member);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [what, first = '', second = ''] = line.split(' ');
      if (what === 'tasks') [member.active, member.standby] = [partitionsOf(first), partitionsOf(second)];
      if (what !== 'state') return;
      member.state = first;
      if (first === 'REBALANCING') member.rebalancingAtMs.push(Number(second));
    });
  }
}

function partitionsOf(text: string): readonly number[] {
  return text === '-' ? [] : text.split(',').map(Number);
}
