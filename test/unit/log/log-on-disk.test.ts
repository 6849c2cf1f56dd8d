import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryLog, type MemoryLog } from '../../../lib/log/memory/memory-log.js';
import { offset } from '../../../lib/model/offset.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { topicPartitionKey } from '../../../lib/model/topic-partition.js';
import { LogScene, offsetsOf, records } from '../../../lib/testing/conformance/log/scene.js';
import { codeOf } from '../../../lib/testing/conformance/test-runner.js';
import { createTestHost, type TestHost } from '../../support/test-host.js';

const TOPIC = { topic: 't', partition: 0 };
const GROUP = 'g';

let dir: string;
let host: TestHost;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'millrace-log-'));
  host = createTestHost();
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Opens the folder; whoever has it open has died first. */
async function open(): Promise<{ log: MemoryLog; scene: LogScene }> {
  forgetProcess();
  const log = await createMemoryLog({ host, dir });
  return { log, scene: sceneOf(log) };
}

function sceneOf(log: MemoryLog): LogScene {
  const supports = { topicIds: true, promptTransactionTimeout: true, promptRetention: true };
  return new LogScene(log, { name: 'disk', createLog: async () => log, supports, advanceMs: (ms) => host.advance(ms) });
}

async function openWithTopic(config = {}): Promise<{ log: MemoryLog; scene: LogScene }> {
  const opened = await open();
  await opened.log.createTopic({ name: 't', partitions: 2, config });
  return opened;
}

/** What is left of a process that died: no word of how it left the folder, nobody who has it. */
function forgetProcess(): void {
  rmSync(lockPath(), { force: true });
}

function lockPath(): string {
  const folder = existsSync(dir) ? readdirSync(dir) : [];
  return join(dir, folder.find((name) => name.startsWith('lock-')) ?? 'lock-00000000');
}

function files(): readonly string[] {
  return readdirSync(dir)
    .filter((name) => !name.startsWith('lock-'))
    .sort();
}

function journalPath(): string {
  const [name, ...others] = files();
  expect(others).toEqual([]);
  return join(dir, name ?? '');
}

describe('a log in a folder', () => {
  it('is the same after it was closed and opened again', async () => {
    const { log, scene } = await openWithTopic({ 'cleanup.policy': 'compact', 'x.unknown': 'kept' });
    const headers = [
      { key: 'h', value: Buffer.from([1, 2]) },
      { key: 'n', value: null },
    ];
    await log.append(TOPIC, records({ key: 'a', value: null, timestampMs: -1, headers }, 'b=é'));
    await scene.commit(TOPIC, records('c=2'));
    await scene.abort(TOPIC, records('d=4'));
    await log.commitOffsets(GROUP, offsetsOf([TOPIC, 3, 'meta']));
    const before = await log.describeTopics(['t']);
    const first = await scene.fetch(TOPIC, 0);
    await log.close();

    const again = await open();

    expect(await again.log.describeTopics(['t'])).toEqual(before);
    expect(await again.scene.read(TOPIC)).toEqual({ records: ['0:a=null', '1:b=é', '2:c=2'], nextOffset: 6 });
    expect([...(await again.scene.fetch(TOPIC, 0)).records]).toEqual([...first.records]);
    expect((await again.log.committedOffsets(GROUP, [TOPIC])).get(topicPartitionKey(TOPIC))).toEqual({
      nextOffset: 3,
      metadata: 'meta',
    });
  });

  it('keeps what was acknowledged though it was never closed', async () => {
    const { log, scene } = await openWithTopic();
    await log.append(TOPIC, records('a=0'));
    await scene.commit(TOPIC, records('b=1'));

    expect((await (await open()).scene.read(TOPIC)).records).toEqual(['0:a=0', '1:b=1']);
  });

  it('holds an open transaction back after reopening until its producer initialises again', async () => {
    const { scene } = await openWithTopic();
    const zombie = await scene.producer('tx');
    await zombie.send(TOPIC, records('z=0'));
    await zombie.sendOffsets(GROUP, offsetsOf([TOPIC, 1]));
    await scene.commit({ topic: 't', partition: 1 }, records('flush=0'));

    const again = await open();
    const whileOpen = await again.scene.offset(TOPIC, 'lastStable');
    const next = await again.scene.producer('tx');

    expect(whileOpen).toBe(0);
    expect(next.epoch).toBe(zombie.epoch + 1);
    expect(await again.scene.read(TOPIC)).toEqual({ records: [], nextOffset: 2 });
    expect(await again.scene.committed(GROUP, TOPIC)).toBe(null);
  });

  it('aborts an open transaction after reopening when its time has passed since its first send', async () => {
    const { scene } = await openWithTopic();
    const slow = await scene.producer('tx', 5_000);
    await slow.send(TOPIC, records('z=0'));
    await scene.commit({ topic: 't', partition: 1 }, records('flush=0'));
    await host.advance(3_000);

    const again = await open();
    const before = await again.scene.offset(TOPIC, 'lastStable');
    await host.advance(2_000);

    expect([before, await again.scene.offset(TOPIC, 'lastStable')]).toEqual([0, 2]);
  });

  it('cut anywhere in its last transaction has all of it or none', async () => {
    const { log, scene } = await openWithTopic();
    await log.append(TOPIC, records('before=0'));
    const start = statSync(journalPath()).size;
    const producer = await scene.producer('tx');
    await producer.send(TOPIC, records('a=1'));
    await producer.send({ topic: 't', partition: 1 }, records('b=1'));
    await producer.sendOffsets(GROUP, offsetsOf([TOPIC, 1]));
    await producer.commit();
    await log.close();
    const whole = readFileSync(journalPath());

    const seen = new Set<string>();
    for (
      let size = start;
      size <= whole.length;
      size = size === whole.length ? size + 1 : Math.min(size + 5, whole.length)
    ) {
      writeFileSync(journalPath(), whole.subarray(0, size));
      const again = await open();
      await again.scene.producer('tx');
      const left = (await again.scene.read(TOPIC)).records.length;
      const right = (await again.scene.read({ topic: 't', partition: 1 })).records.length;
      seen.add(`${left} ${right} ${await again.scene.committed(GROUP, TOPIC)}`);
      await again.log.close();
    }

    expect([...seen].sort()).toEqual(['1 0 null', '2 1 1']);
  });

  it('is written on after a torn tail was cut', async () => {
    const { log } = await openWithTopic();
    await log.append(TOPIC, records('a=0'));
    await log.append(TOPIC, records('b=1'));
    await log.close();
    truncateSync(journalPath(), statSync(journalPath()).size - 5);

    const again = await open();
    await again.log.append(TOPIC, records('c=1'));
    await again.log.close();

    expect((await (await open()).scene.read(TOPIC)).records).toEqual(['0:a=0', '1:c=1']);
  });

  it('takes zeros at its end for a write that never finished', async () => {
    const { log } = await openWithTopic();
    await log.append(TOPIC, records('a=0'));
    await log.close();
    const { size } = statSync(journalPath());
    appendFileSync(journalPath(), Buffer.alloc(4_096));

    expect((await (await open()).scene.read(TOPIC)).records).toEqual(['0:a=0']);
    expect(statSync(journalPath()).size).toBe(size);
  });

  it('is refused when any byte before its last frame is wrong, and left as it is', async () => {
    const { log } = await openWithTopic();
    await log.append(TOPIC, records('a=0'));
    const end = statSync(journalPath()).size;
    await log.append(TOPIC, records('b=1'));
    await log.close();
    const whole = readFileSync(journalPath());

    for (let position = 0; position < end; position += 7) {
      const damaged = Buffer.from(whole);
      damaged.writeUInt8(damaged.readUInt8(position) ^ 0x10, position);
      if (isPadding(whole, position)) continue;
      writeFileSync(journalPath(), damaged);

      expect(await codeOf(open()), `byte ${position}`).toBe('STREAMS_INVALID_FOLDER');
      expect(readFileSync(journalPath()).equals(damaged)).toBe(true);
    }
  });

  it('is refused when it is not as it was when it was closed, and left as it is', async () => {
    const { log } = await openWithTopic();
    await log.append(TOPIC, records('a=0'));
    const middle = statSync(journalPath()).size;
    await log.append(TOPIC, records('b=1'));
    await log.close();
    const path = journalPath();
    const whole = readFileSync(path);
    const flipped = Buffer.from(whole);
    flipped.writeUInt8(flipped.readUInt8(middle + 20) ^ 1, middle + 20);
    const reopened = () => createMemoryLog({ host, dir });

    for (const damaged of [whole.subarray(0, middle), whole.subarray(0, -3), Buffer.alloc(0), flipped]) {
      writeFileSync(path, damaged);
      expect(await codeOf(reopened())).toBe('STREAMS_INVALID_FOLDER');
      expect(readFileSync(path).equals(damaged)).toBe(true);
    }
    rmSync(path);
    expect(await codeOf(reopened())).toBe('STREAMS_INVALID_FOLDER');
    mkdirSync(path);
    expect(await codeOf(reopened())).toBe('STREAMS_INVALID_FOLDER');
    rmdirSync(path);
    writeFileSync(path, whole);
    expect((await sceneOf(await reopened()).read(TOPIC)).records).toEqual(['0:a=0', '1:b=1']);
  });

  it('is made with the folders above it if it is absent', async () => {
    dir = join(dir, 'a', 'b');

    const { log } = await openWithTopic();
    await log.close();

    expect(await (await open()).log.listTopics()).toEqual(['t']);
  });

  it('is refused where there is a file', async () => {
    const file = join(dir, 'file');
    writeFileSync(file, 'mine');

    expect(await codeOf(createMemoryLog({ host, dir: file }))).toBe('STREAMS_INVALID_FOLDER');
    expect(await codeOf(createMemoryLog({ host, dir: join(file, 'below') }))).toBe('STREAMS_INVALID_FOLDER');
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  it('is refused where no folder can be made', async () => {
    for (const impossible of ['/proc/none', '/proc/none/below', '/dev/null', `/${'x'.repeat(300)}`, 'a\0b'])
      expect(await codeOf(createMemoryLog({ host, dir: impossible })), impossible).toBe('STREAMS_INVALID_FOLDER');
  });

  it('leaves files of others alone, and takes away its own unfinished ones', async () => {
    const { log } = await openWithTopic();
    await log.close();
    writeFileSync(join(dir, 'notes.txt'), 'mine');
    writeFileSync(join(dir, 'journal-00000002.log.tmp'), 'half');

    await open();

    expect(files()).toEqual(['journal-00000001.log', 'notes.txt']);
  });

  it('says the same after a checkpoint, with open transactions, pending offsets, gaps and a moved start', async () => {
    const { log, scene } = await openWithTopic({ 'cleanup.policy': 'compact', 'delete.retention.ms': '1000' });
    const right = { topic: 't', partition: 1 };
    await log.append(TOPIC, records('a=0', 'b=1', 'a=2', 'c'));
    await scene.abort(TOPIC, records('b=4'));
    await log.compact('t');
    await log.commitOffsets(GROUP, offsetsOf([TOPIC, 2, 'm']));
    const open1 = await scene.producer('open', 60_000);
    await open1.send(TOPIC, records('o=6'));
    await open1.send(right, records('o=0', 'o=1'));
    await open1.sendOffsets(GROUP, offsetsOf([right, 9]));
    await log.append(TOPIC, records('d=7'));
    await log.deleteRecords(
      new Map([
        [topicPartitionKey(TOPIC), offset(2)],
        [topicPartitionKey(right), offset(2)],
      ]),
    );
    const look = async (at: LogScene) => [
      await at.read(TOPIC, 'readUncommitted', 2),
      await at.read(TOPIC, 'readCommitted', 2),
      [
        await at.offset(TOPIC, 'earliest'),
        await at.offset(TOPIC, 'lastStable'),
        await at.offset(TOPIC, 'highWatermark'),
      ],
      [
        await at.offset(right, 'earliest'),
        await at.offset(right, 'lastStable'),
        await at.offset(right, 'highWatermark'),
      ],
      await at.committed(GROUP, TOPIC),
    ];
    const before = await look(scene);

    await log.checkpoint();
    await log.append(TOPIC, records('e=8'));
    await log.close();
    const again = await open();
    const isRotated = files().join() === 'journal-00000002.log';
    const after = await look(again.scene);
    await again.scene.producer('open');

    expect(isRotated).toBe(true);
    expect(before[0]).toEqual({ records: ['2:a=2', '3:c=null', '6:o=6', '7:d=7'], nextOffset: 8 });
    expect(after[0]).toEqual({ records: ['2:a=2', '3:c=null', '6:o=6', '7:d=7', '8:e=8'], nextOffset: 9 });
    expect(after[1]).toEqual(before[1]);
    expect(after[3]).toEqual(before[3]);
    expect(after[4]).toBe(2);
    expect(await again.scene.offset(right, 'highWatermark')).toBe(3);
    expect(await again.scene.committed(GROUP, right)).toBe(null);
  });

  it('ends where it ended though compaction has emptied the end before a checkpoint', async () => {
    const { log, scene } = await openWithTopic({ 'cleanup.policy': 'compact', 'delete.retention.ms': '0' });
    await log.append(TOPIC, records('a=0'));
    await scene.abort(TOPIC, records('b=1', 'c=2'));
    await log.compact('t');
    await log.compact('t');
    await log.checkpoint();
    await log.close();

    const again = await open();
    const next = await again.log.append(TOPIC, records('d=4'));

    expect(next).toBe(4);
    expect(await again.scene.read(TOPIC)).toEqual({ records: ['0:a=0', '4:d=4'], nextOffset: 5 });
  });

  it('begins a new file by itself when the old one says little for its size', async () => {
    const { log, scene } = await openWithTopic({ 'max.message.bytes': '100000000' });
    const builder = new RecordSetBuilder();
    builder.append(Buffer.from('k'), Buffer.alloc(24 * 1024 * 1024, 'x'), 1);
    const big = builder.build();
    for (let round = 0; round < 3; round += 1) {
      const at = await log.append(TOPIC, big);
      await log.deleteRecords(new Map([[topicPartitionKey(TOPIC), offset(at + 1)]]));
    }
    await log.append(TOPIC, records('after=3'));
    await log.close();

    expect(files()).toEqual(['journal-00000002.log']);
    expect(statSync(journalPath()).size).toBeLessThan(1.5 * big.bytes.length);
    expect(await (await open()).scene.read(TOPIC, 'readCommitted', 3)).toEqual({
      records: ['3:after=3'],
      nextOffset: 4,
    });
    expect((await scene.read(TOPIC).catch((thrown) => thrown)).code).toBe('STREAMS_UNAVAILABLE');
  });
});

/** Whether a byte is one that no checksum covers: the zeros after a payload, and the last word of a frame's header. */
function isPadding(file: Buffer, position: number): boolean {
  let frame = 16;
  if (position < frame) return false;
  for (;;) {
    const length = file.readUInt32LE(frame);
    const next = frame + 16 + Math.ceil(length / 8) * 8;
    if (position < next) {
      const within = position - frame;
      return (within >= 12 && within < 16) || within >= 16 + length;
    }
    frame = next;
  }
}
