import type { Mutant } from './mutant.js';
import { NO_SELF_STOP } from './ownership-mutants.js';

const USABILITY = 'lib/snapshots/usability.ts';

/** What makes a store the fold of its changelog, whatever it is restored from. */
export const stateMutants: readonly Mutant[] = [
  {
    name: 'tombstone-rule',
    protects:
      'D2: a snapshot is used only while its tail can not miss a delete; later, deleted keys come back (traps 12)',
    edits: [
      {
        file: USABILITY,
        find: "return nowMs < usableUntilMs ? null : 'tombstones-may-have-expired';",
        replace: "return usableUntilMs < 0 ? 'tombstones-may-have-expired' : null;",
      },
    ],
  },
  {
    name: 'position-over-markers',
    protects:
      'F2: a position counts markers and aborted records; by the last record the end is never reached (traps 2, 3)',
    edits: [
      {
        file: 'lib/runtime/follower.ts',
        find: 'this.position = count < records.size ? limit : result.nextOffset;',
        replace:
          'this.position = count === 0 ? this.position : (((records.offsets[count - 1] as number) + 1) as Offset);',
      },
    ],
  },
  {
    name: 'restore-target',
    protects: 'S4: a restore goes to the high watermark; to the last stable offset it may end early (traps 5)',
    edits: [
      {
        file: 'lib/runtime/restore.ts',
        find: "listOffsets([{ topic, partition }], 'highWatermark')",
        replace: "listOffsets([{ topic, partition }], 'lastStable')",
      },
    ],
  },
  {
    name: 'committed-image',
    protects: 'N1: only committed state goes into a snapshot; what is then aborted would be restored (traps 10)',
    edits: [
      {
        file: 'lib/runtime/snapshot.ts',
        find: 'entries: store.store.committed() }',
        replace: 'entries: store.store.entries({ from: null, to: null }) as Iterable<StoredEntry> }',
      },
      {
        file: 'lib/runtime/snapshot.ts',
        find: "import { snapshotIdentity } from './load-store.js';",
        replace:
          "import { snapshotIdentity } from './load-store.js';\nimport type { StoredEntry } from '../state/byte-store.js';",
      },
    ],
  },
  {
    name: 'confirmed-position',
    protects:
      'K2: a position is confirmed by the lease after the end was read; else a zombie takes the writes of others for its own',
    given: [NO_SELF_STOP],
    edits: [
      {
        file: 'lib/runtime/task-session.ts',
        find: '  await run.hold.assertOurs();\n  confirm();',
        replace: '  confirm();',
      },
    ],
  },
  {
    name: 'newest-manifest',
    protects:
      'the newest manifest is used, whoever wrote last (traps 7); the oldest costs a long tail, or misses deletes',
    edits: [
      {
        file: 'lib/snapshots/list-manifests.ts',
        find: '.filter((parsed) => parsed !== null);',
        replace: '.filter((parsed) => parsed !== null).reverse();',
      },
    ],
  },
  {
    name: 'block-checksum',
    protects:
      'every block of a snapshot is checked; a flipped bit would become state where no codec notices (traps 19)',
    given: [
      {
        file: 'lib/snapshots/segment-writer.ts',
        find: 'this.codec = host.codec.ids[0] ?? 0;',
        replace: 'this.codec = 0;',
      },
    ],
    edits: [
      {
        file: 'lib/snapshots/block.ts',
        find: 'if (digest.crc32c(block.subarray(4)) !== block.readUInt32BE(0)) {',
        replace: 'if (digest.crc32c(block.subarray(4)) < 0) {',
      },
    ],
  },
  {
    name: 'corrupt-fallback',
    protects: 'a damaged snapshot is refused and an older one, or the log, is used (traps 19); else the task fails',
    edits: [
      {
        file: 'lib/snapshots/open-snapshot.ts',
        find: '    if (cause instanceof SnapshotCorruptedError) return { name, reason, cause };\n',
        replace: '',
      },
      {
        file: 'lib/runtime/load-store.ts',
        find: 'const isSourceGone = thrown instanceof SnapshotCorruptedError || thrown instanceof OffsetOutOfRangeError;',
        replace: 'const isSourceGone = thrown instanceof OffsetOutOfRangeError;',
      },
    ],
  },
  {
    name: 'unnamed-segments',
    protects: 'G2: only segments that no manifest names are removed; else a manifest stands without its segments',
    edits: [
      {
        file: 'lib/snapshots/collect-garbage.ts',
        find: 'areAllSeen && isOld(segment) && !named.has(segment.name)',
        replace: 'areAllSeen && segment.name !== "" && named.size >= 0',
      },
    ],
  },
  {
    name: 'changelog-identity',
    protects: 'I3: a task whose changelog was created again stops; else it counts anew from nothing (traps 25)',
    edits: [
      {
        file: 'lib/runtime/topic-ids.ts',
        find: '  if (!start.goesOn) return;\n',
        replace: '  if (start.goesOn || !start.goesOn) return;\n',
      },
    ],
  },
  {
    name: 'topic-check',
    protects:
      'I4: a running task looks at the ids of what it writes; else it goes on under a changelog that is gone (traps 25)',
    edits: [
      {
        file: 'lib/runtime/housekeeping.ts',
        find: 'if (nowMs - this.topicsCheckedAtMs >= sessionTimeoutMs) {',
        replace: 'if (nowMs - this.topicsCheckedAtMs >= sessionTimeoutMs * 1_000_000) {',
      },
    ],
  },
  {
    name: 'progress-offset',
    protects:
      'R1 of restore-progress.ts: a restore in its midst is named by the offset that it has come to; by a later one, what lies between is lost',
    edits: [
      {
        file: 'lib/runtime/restore-progress.ts',
        find: 'this.written.set(storeName, nextOffset);',
        replace: 'this.written.set(storeName, progress.position);',
      },
      {
        file: 'lib/runtime/restore-progress.ts',
        find: 'const { changelog, store, topicId, knownAtMs, position: nextOffset } = progress;',
        replace:
          'const { changelog, store, topicId, knownAtMs } = progress;\n    const nextOffset = (progress.position + 10) as Offset;',
      },
    ],
  },
  {
    name: 'promotion-reads-the-tail',
    protects:
      'F9, S4: a task that takes a copy reads on to the captured end; else it counts on from where the copy stood',
    edits: [
      {
        file: 'lib/runtime/load-store.ts',
        find: '    await follower.followTo({ target, toTheEnd, stallTimeoutMs, ...(signal === undefined ? {} : { signal }) });',
        replace:
          "    if (opened.mode !== 'memory')\n      await follower.followTo({ target, toTheEnd, stallTimeoutMs, ...(signal === undefined ? {} : { signal }) });",
      },
    ],
  },
  {
    name: 'copies-read-committed',
    protects:
      'Y1, L1 of log.ts: copies read what is committed; else records of aborted transactions become state when they are promoted',
    edits: [
      {
        file: 'lib/runtime/member-copies.ts',
        find: "        isolation: 'readCommitted',\n        maxWaitMs,",
        replace: "        isolation: 'readUncommitted',\n        maxWaitMs,",
      },
    ],
  },
  {
    name: 'restore-limit',
    protects: 'Q1: as many tasks and copies restore at once as may; else all that start cold read at once',
    edits: [
      {
        file: 'lib/runtime/restore-queue.ts',
        find: '  const free = limit - all.filter(isPlaced).length;',
        replace: '  const free = all.length + 0 * limit;',
      },
      {
        file: 'lib/runtime/restore-queue.ts',
        find: '  return claiming.slice(0, Math.max(0, room));',
        replace: '  return claiming.slice(0, Math.max(claiming.length, room));',
      },
    ],
  },
];
