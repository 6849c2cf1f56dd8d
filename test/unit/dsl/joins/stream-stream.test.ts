import { describe, expect, it } from 'vitest';
import { defineApp, StreamsBuilder, string, TopologyError } from '../../../../lib/index.js';
import { TopologyTestDriver } from '../../../../lib/testing/topology-test-driver.js';
import { at, startTask } from '../../task/task-rig.js';

const text = { key: string(), value: string() };
const joiner = (left: string | null, right: string | null) => `${left}+${right}`;

function streams() {
  const builder = new StreamsBuilder();
  return { builder, left: builder.stream('left', text), right: builder.stream('right', text) };
}

const start = (builder: StreamsBuilder) =>
  TopologyTestDriver.start(defineApp({ applicationId: 'app', topology: builder.build() }));

const shown = (records: readonly { key: unknown; value: unknown; timestampMs: number }[]) =>
  records.map(({ key, value, timestampMs }) => `${key}=${value}@${timestampMs}`);

describe('a join of two streams', () => {
  it('lets the window be moved, so that only what comes a while after is joined', async () => {
    const { builder, left, right } = streams();
    left.join(right, { within: { before: -10, after: 20 }, joiner }).to('out');
    const driver = await start(builder);

    await driver.pipeInput('left', { key: 'a', value: 'l', timestampMs: 100 });
    for (const timestampMs of [109, 110, 120, 121])
      await driver.pipeInput('right', { key: 'a', value: `r${timestampMs}`, timestampMs });

    expect(shown(driver.readOutputs('out', text))).toEqual(['a=l+r110@110', 'a=l+r120@120']);
  });

  it('keeps records of one key and time apart, also while they wait to be joined', async () => {
    const { builder, left, right } = streams();
    left.leftJoin(right, { within: 5, joiner }).to('out');
    const driver = await start(builder);

    for (const value of ['1', '2', '3']) await driver.pipeInput('left', { key: 'a', value, timestampMs: 10 });
    await driver.pipeInput('left', { key: 'end', value: 'end', timestampMs: 100 });

    expect(shown(driver.readOutputs('out', text))).toEqual(['a=1+null@10', 'a=2+null@10', 'a=3+null@10']);
  });

  it('waits for a joiner that is asynchronous, and keeps the order of what it gives', async () => {
    const { builder, left, right } = streams();
    const slow = async (l: string, r: string) => {
      if (r === 'slow') await new Promise((resolve) => setTimeout(resolve, 5));
      return joiner(l, r);
    };
    left.join(right, { within: 5, joiner: slow }).to('out');
    const driver = await start(builder);

    await driver.pipeInput('right', { key: 'a', value: 'slow', timestampMs: 1 });
    await driver.pipeInput('right', { key: 'a', value: 'fast', timestampMs: 2 });
    await driver.pipeInput('left', { key: 'a', value: 'l', timestampMs: 3 });

    expect(shown(driver.readOutputs('out', text))).toEqual(['a=l+slow@3', 'a=l+fast@3']);
  });

  it('drops and counts records without key or value, and those that came too late to be kept', async () => {
    const { builder, left, right } = streams();
    left.join(right, { within: 5, grace: 5, joiner }).to('out');
    const { task, give, commit } = await startTask(builder);
    give('right', [{ key: 'a', value: 'r', ts: 200_000 }]);
    give('left', [
      { key: null, value: 'l', ts: 1 },
      { key: 'a', value: null, ts: 100_000 },
      { key: 'a', value: 'l', ts: 100_000 },
      { key: 'a', value: 'late', ts: 10 },
    ]);

    await task.process(0, 10);
    const { dropped } = await commit();

    expect(dropped.map(({ reason, count }) => [reason, count]).sort()).toEqual([
      ['expired', 1],
      ['null-key', 1],
      ['null-value', 1],
    ]);
  });

  it('gives a record without key out alone in a left join, also behind a repartition topic (KIP-962)', async () => {
    const { builder, left, right } = streams();
    left
      .selectKey((_key, value) => (value === 'none' ? null : value) as string)
      .leftJoin(right, { within: 5, joiner, name: 'j' })
      .to('out');
    const driver = await start(builder);

    await driver.pipeInput('left', { key: 'k', value: 'none', timestampMs: 3 });

    expect(shown(driver.readOutputs('app-j-left-repartition', text))).toEqual(['null=none@3']);
    expect(shown(driver.readOutputs('out', text))).toEqual(['null=none+null@3']);
  });

  it('writes what waits to be joined in Kafka’s bytes', async () => {
    const { builder, left, right } = streams();
    left.outerJoin(right, { within: 5, joiner, store: 's' }).to('out');
    const { task, give, commit } = await startTask(builder);
    give('right', [{ key: 'b', value: 'r', ts: 259 }]);
    give('left', [
      { key: 'a', value: '1', ts: 258 },
      { key: 'a', value: '2', ts: 258 },
    ]);

    await task.process(0, 10);
    const { changelogs } = await commit();

    const written = [...(changelogs.get(at('app-s-outer-shared-join-store-changelog')) ?? [])];
    expect(
      written.map(({ key, value }) => [key, value].map((bytes) => Buffer.from(bytes ?? []).toString('hex'))),
    ).toEqual([
      ['0000000000000102' + '01' + '61', '01' + '00000002' + '00000002' + '0131' + '00000002' + '0132'],
      ['0000000000000103' + '00' + '62', '01' + '00000001' + '00000002' + '0072'],
    ]);
  });

  it('has no changelogs where they are not wanted', () => {
    const { builder, left, right } = streams();
    left.leftJoin(right, { within: 5, joiner, logged: false }).to('out');

    const topology = builder.build();

    expect(topology.stores.size).toBe(3);
    expect(topology.changelogs.size).toBe(0);
  });

  it('joins a stream with itself: each record meets itself, and the others both ways', async () => {
    const { builder, left } = streams();
    left.join(left, { within: 5, joiner }).to('out');
    const driver = await start(builder);

    await driver.pipeInput('left', { key: 'a', value: '1', timestampMs: 1 });
    await driver.pipeInput('left', { key: 'a', value: '2', timestampMs: 3 });

    expect(shown(driver.readOutputs('out', text))).toEqual(['a=1+1@1', 'a=2+1@3', 'a=1+2@3', 'a=2+2@3']);
  });

  it('shares one repartition topic among the joins without name of a stream', () => {
    const { builder, left, right } = streams();
    const keyed = left.selectKey((_key, value) => value);
    keyed.join(right, { within: 5, joiner }).to('out1');
    keyed.join(right, { within: 5, joiner }).to('out2');

    expect([...builder.build().repartitionTopics.keys()]).toEqual(['KSTREAM-KEY-SELECT-0000000002-repartition']);
  });

  it('refuses a window that ends before it begins, and none at all', () => {
    const { left, right } = streams();

    expect(() => left.join(right, { within: { before: 5, after: -6 }, joiner })).toThrow(TopologyError);
    expect(() => left.join(right, { joiner } as never)).toThrow('needs a window');
    expect(() => left.join(right, { within: { before: -0.5 }, joiner })).toThrow('is no duration');
  });
});
