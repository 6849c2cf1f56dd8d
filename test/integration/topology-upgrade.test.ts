/** A deployment whose topology has tasks that the one before has not, while members of both run. */
import { afterEach, describe, expect, it } from 'vitest';
import { createNodeHost } from '../../lib/host/node/node-host.js';
import { createMemoryInvoker } from '../../lib/invoke/memory/memory-invoker.js';
import type { RunMember } from '../../lib/invoke/payloads.js';
import { createMemoryLeaseStore } from '../../lib/leases/memory/memory-lease-store.js';
import { createMemoryLog } from '../../lib/log/memory/memory-log.js';
import { RecordSetBuilder } from '../../lib/model/record-set-builder.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';
import { runMember } from '../../lib/runtime/run-member.js';
import { createHeartbeatWatch } from '../../lib/scheduler/heartbeat-watch.js';
import { runTick } from '../../lib/scheduler/run-tick.js';
import { string } from '../../lib/serde/string-serde.js';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import { defineApp, type StreamsApp } from '../../lib/topology/app.js';
import { TopologyBuilder } from '../../lib/topology/topology-builder.js';
import { type LoggedEvent, listeningLogger } from '../support/listening-logger.js';
import { sleep, waitFor } from '../support/wait-for.js';

const PARTITIONS = 2;
const serdes = { key: string(), value: string() };
const SETTINGS = { members: 2, heartbeatIntervalMs: 50, sessionTimeoutMs: 2_000, tickIntervalMs: 50, idleTimeoutMs: 0 };

/** Copies `a` to `out`; the newer version also `b`, in a sub-topology of its own. */
function version(sources: readonly string[]): StreamsApp {
  const builder = new TopologyBuilder();
  for (const name of sources)
    builder
      .addSource(`read-${name}`, name, serdes)
      .addSink(`write-${name}`, 'out', { parents: `read-${name}`, ...serdes });
  return defineApp({ applicationId: 'upgrade', topology: builder.build(), settings: SETTINGS });
}

const ending = new AbortController();
const runs: Promise<unknown>[] = [];
afterEach(async () => {
  ending.abort();
  await Promise.all(runs);
});

async function system() {
  const events: LoggedEvent[] = [];
  const host = createNodeHost({ logger: listeningLogger(events) });
  const log = await createMemoryLog({ host });
  for (const name of ['a', 'b', 'out']) await log.createTopic({ name, partitions: PARTITIONS, config: {} });
  const invoker = createMemoryInvoker({ clock: host.clock });
  const leases = createMemoryLeaseStore({});
  const ports: RuntimePorts = {
    log,
    leases,
    snapshots: createMemorySnapshotStore({ clock: host.clock }),
    invoker,
    host,
  };
  let deployed = version(['a']);
  invoker.register('task', async (payload) => {
    const { memberId, incarnation } = payload as RunMember;
    const run = runMember({ app: deployed, ports, memberId, incarnation, signal: ending.signal });
    runs.push(run);
    await run;
  });
  const watch = createHeartbeatWatch();
  const tick = () => runTick({ app: deployed, ports, watch, reason: 'test' });
  const append = async (topic: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const records = new RecordSetBuilder();
      records.append(Buffer.from(topic), Buffer.from(`${index}`), 0);
      await log.append({ topic, partition: index % PARTITIONS }, records.build());
    }
  };
  const written = async (): Promise<readonly string[]> => {
    const requests = Array.from({ length: PARTITIONS }, (_, partition) => ({
      topic: 'out',
      partition,
      fromOffset: 0 as never,
    }));
    const read = await log.fetch(requests, { isolation: 'readCommitted', maxWaitMs: 0, maxBytes: 10_000_000 });
    return read.flatMap(({ records }) => [...records].map(({ key }) => String(key)));
  };
  const deploy = (app: StreamsApp): void => {
    deployed = app;
  };
  return { events, leases, tick, append, written, deploy };
}

describe('a deployment with new tasks, while members of the one before run', () => {
  it('has its new tasks run by new members, which the old ones hand over to; nothing is lost or done twice', async () => {
    const { events, leases, tick, append, written, deploy } = await system();
    await tick();
    await append('a', 20);
    await waitFor('the first version to copy', async () => (await written()).length === 20);
    await append('b', 20);

    deploy(version(['a', 'b']));
    let more = 0;
    await waitFor('both to be copied', async () => {
      await tick();
      await append('a', 1);
      more += 1;
      await sleep(20);
      return (await written()).filter((key) => key === 'b').length === 20;
    });

    await waitFor('all to be copied', async () => (await written()).length >= 40 + more);

    const leased = await leases.listLeases();
    expect(leased.map(({ taskId }) => taskId)).toEqual(['0_0', '0_1', '1_0', '1_1']);
    expect(events.map(({ event }) => event)).toContain('member-outdated');
    expect(events.filter(({ event }) => event === 'task-failed')).toEqual([]);
    expect((await leases.listMembers()).map(({ incarnation }) => incarnation)).toEqual([2, 2]);
    expect(leased.every(({ epoch }) => epoch <= 3)).toBe(true);
    expect(await written()).toHaveLength(40 + more);
  });
});
