import { describe, expect, it } from 'vitest';
import type { OffsetReset, SettingsInput } from '../../../lib/index.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { startOffsets } from '../../../lib/runtime/start-offsets.js';
import { string } from '../../../lib/serde/string-serde.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { createTaskWorld, INPUT, OUTPUT } from '../../support/task-world.js';

const text = { key: string(), value: string() };
const NOW_MS = 100_000;
/** Timestamps of the records that the input has. */
const TIMES = [10_000, 40_000, 70_000, 99_000];

async function firstStart(offsetReset?: OffsetReset, settings: SettingsInput = {}): Promise<number | undefined> {
  const topology = new TopologyBuilder()
    .addSource('source', INPUT, { ...text, ...(offsetReset === undefined ? {} : { offsetReset }) })
    .addSink('sink', OUTPUT, { ...text, parents: 'source' })
    .build();
  const { app, ports } = await createTaskWorld({ topology, settings });
  const input = { topic: INPUT, partition: 0 };
  for (const timestampMs of TIMES) {
    const builder = new RecordSetBuilder();
    builder.append(null, Buffer.from('x'), timestampMs);
    await ports.log.append(input, builder.build());
  }
  const { offsets } = await startOffsets({
    app,
    log: ports.log,
    inputs: [input],
    recorded: null,
    recordedAreFresh: false,
    lives: { recorded: undefined, current: {} },
    nowMs: NOW_MS,
  });
  return offsets.get(topicPartitionKey(input))?.nextOffset;
}

describe('a source that has no committed offsets', () => {
  it.each<[OffsetReset, number]>([
    ['earliest', 0],
    ['latest', 4],
    [{ byDuration: 30_000 }, 2],
    [{ byDuration: '30001ms' }, 2],
    [{ byDuration: '1m' }, 1],
    [{ byDuration: 0 }, 4],
    [{ byDuration: '30d' }, 0],
  ])('starts where it says: %j', async (offsetReset, wanted) => {
    expect(await firstStart(offsetReset, { autoOffsetReset: 'latest' })).toBe(wanted);
  });

  it.each([
    ['PT30S', 2],
    ['PT0.5M', null],
    ['PT1M', 1],
    ['P30D', 0],
    ['PT0S', 4],
    ['P', null],
    ['30s', null],
    ['-PT1S', null],
  ])('starts where the setting says, in Kafka’s words: by_duration:%s', async (duration, wanted) => {
    const start = firstStart(undefined, { autoOffsetReset: `by_duration:${duration}` });

    if (wanted === null) await expect(start).rejects.toMatchObject({ code: 'STREAMS_INVALID_SETTING' });
    else expect(await start).toBe(wanted);
  });

  it.each<[string, OffsetReset | undefined, SettingsInput]>([
    ['the source', 'none', {}],
    ['the setting', undefined, { autoOffsetReset: 'none' }],
  ])('starts nowhere if %s says so', async (_, offsetReset, settings) => {
    await expect(firstStart(offsetReset, settings)).rejects.toMatchObject({
      code: 'STREAMS_LOST_OFFSETS',
      message: expect.stringContaining('starts nowhere by itself'),
    });
  });

  it.each<[string, unknown, string]>([
    ['a word that is none', 'soon', 'none of earliest, latest, none, { byDuration }'],
    ['a negative duration', { byDuration: -1 }, "source 'source'"],
    ['a duration that is none', { byDuration: 'a while' }, "source 'source'"],
    ['nothing in it', {}, 'none of earliest'],
  ])('is refused when it is built with %s', async (_, offsetReset, message) => {
    await expect(firstStart(offsetReset as OffsetReset)).rejects.toMatchObject({
      code: 'STREAMS_INVALID_TOPOLOGY',
      message: expect.stringContaining(message),
    });
  });
});
