import type { Edit, Mutant } from './mutant.js';
import { NO_SELF_STOP } from './ownership-mutants.js';

const OPEN_SESSION = 'lib/runtime/open-session.ts';

const NO_RELEASED_OFFSETS: Edit = {
  file: 'lib/runtime/start-offsets.ts',
  find: 'const released = recordedAreFresh ? recorded?.[key] : undefined;',
  replace: 'const released = recordedAreFresh ? ({} as RecordedOffsets)[key] : undefined;',
};

/** What makes each input count once: the order of effects in a session, and what an error does to it. */
export const exactlyOnceMutants: readonly Mutant[] = [
  {
    name: 'second-look',
    protects:
      'S2: the lease is looked at again after the initialisation; a stale owner that has not stopped by itself would go on (traps 8, 40)',
    given: [NO_SELF_STOP],
    edits: [
      {
        file: OPEN_SESSION,
        find: '    await run.hold.assertOurs();\n    throwIfStopping(run);',
        replace: '    throwIfStopping(run);',
      },
    ],
  },
  {
    name: 'offsets-after-fence',
    protects:
      'S3: committed offsets are read after the fence; read before, an owner that has not stopped by itself sets them back (traps 8)',
    given: [NO_SELF_STOP],
    edits: [
      {
        file: OPEN_SESSION,
        find: '  await run.hold.beReadyToInitialise();',
        replace: '  await run.hold.beReadyToInitialise();\n  const early = await readStart(run);',
      },
      {
        file: OPEN_SESSION,
        find: 'await openFenced(run, producer);',
        replace: 'await openFenced(run, producer, early);',
      },
      {
        file: OPEN_SESSION,
        find: 'async function openFenced(run: TaskRun, producer: TransactionalProducer): Promise<TaskSession> {\n  const { start, topicIds } = await readStart(run);',
        replace:
          'async function openFenced(\n  run: TaskRun,\n  producer: TransactionalProducer,\n  { start, topicIds }: SessionStart,\n): Promise<TaskSession> {',
      },
    ],
  },
  {
    name: 'session-after-error',
    protects: 'T1: a session ends with the first failed commit; a producer that has failed would be used again',
    edits: [
      {
        file: 'lib/runtime/commit-pipeline.ts',
        find: "      (error: unknown) => {\n        this.state = { is: 'failed', error };",
        replace: "      () => {\n        this.state = { is: 'committed' };",
      },
    ],
  },
  {
    name: 'overlay-drop',
    protects: 'T1, K1: what was not committed is dropped from the stores; kept, it counts twice (traps 10)',
    edits: [
      {
        file: 'lib/runtime/task-session.ts',
        find: '    store.rollback();\n    run.kept.keep({',
        replace: '    store.seal();\n    store.commit();\n    run.kept.keep({',
      },
    ],
  },
  {
    name: 'one-transaction',
    protects: 'X1: outputs, changelog records and offsets are one transaction; a crash in between repeats records',
    edits: [
      {
        file: 'lib/runtime/transaction.ts',
        find: "  if (sent && guarantee === 'at_least_once') await commit(transaction);",
        replace: '  if (sent) await commit(transaction);',
      },
      {
        file: 'lib/runtime/transaction.ts',
        find: "  if (offsets.size > 0 || (sent && guarantee === 'exactly_once_v2')) await commit(transaction);",
        replace: '  if (offsets.size > 0) await commit(transaction);',
      },
    ],
  },
  {
    name: 'offsets-last',
    protects: 'X2: at least once, offsets are committed after the records; before them, a crash loses records',
    edits: [
      {
        file: 'lib/runtime/transaction.ts',
        find: "  if (sent && guarantee === 'at_least_once') await commit(transaction);\n",
        replace: '',
      },
      {
        file: 'lib/runtime/transaction.ts',
        find: '  const sent = await sendAll(transaction);\n',
        replace:
          "  if (guarantee === 'at_least_once' && offsets.size > 0) {\n    await producer.sendOffsets(groupId, offsets);\n    await commit(transaction);\n  }\n  const sent = await sendAll(transaction);\n  if (guarantee === 'at_least_once') return sent ? commit(transaction) : undefined;\n",
      },
    ],
  },
  {
    name: 'lost-between-steps',
    protects:
      'X5: who loses its slot in the midst of a commit ends it there; else what is slow commits long after (traps 40)',
    edits: [
      {
        file: 'lib/runtime/transaction.ts',
        find: "  if (stop.reason === 'lost') throw new AbortedError('the slot was lost before the commit');\n",
        replace: '  void stop;\n',
      },
    ],
  },
  {
    name: 'read-committed',
    protects: 'L1 of log.ts: input is read committed; records of aborted transactions would count',
    edits: [
      {
        file: 'lib/runtime/input-reader.ts',
        find: "isolation: 'readCommitted'",
        replace: "isolation: 'readUncommitted'",
      },
    ],
  },
  {
    name: 'lost-offsets',
    protects:
      'O2: the reset policy is for first starts; offsets that no release recorded either would make it process everything again',
    edits: [
      NO_RELEASED_OFFSETS,
      {
        file: 'lib/runtime/start-offsets.ts',
        find: '  const isFirstStart = committed.size === 0 && recorded === null && lives.recorded === undefined;',
        replace: '  const isFirstStart = committed.size < inputs.length;',
      },
      {
        file: OPEN_SESSION,
        find: '    refuseStateWithoutOffsets(run, start, stores);\n',
        replace: '    if (run.status.commits < 0) refuseStateWithoutOffsets(run, start, stores);\n',
      },
    ],
  },
  {
    name: 'keeper',
    protects: 'committed offsets are committed again before they expire (design 4); without, idle inputs lose theirs',
    edits: [
      {
        file: 'lib/runtime/housekeeping.ts',
        find: 'offsetsRetentionMs / KEEPS_PER_RETENTION;',
        replace: 'offsetsRetentionMs * 1_000_000 * KEEPS_PER_RETENTION;',
      },
    ],
  },
  {
    name: 'released-offsets',
    protects: 'O2: a clean release records the committed offsets, which stand in for those that have expired',
    edits: [NO_RELEASED_OFFSETS],
  },
  {
    name: 'topic-ids-in-lease',
    protects:
      'O5, I2: an offset committed in another life of an input counts for nothing; else its task reads on from there (traps 25)',
    edits: [
      {
        file: 'lib/runtime/start-offsets.ts',
        find: 'if (!isTasksOwn(committed) || !isOtherLife(lives, topic)) return;',
        replace: 'if (!isTasksOwn(committed) || !isOtherLife(lives, topic) || app.applicationId !== null) return;',
      },
    ],
  },
  {
    name: 'read-by-topic-id',
    protects:
      'I4: a session ends when its input is created again; else it reads the new one on from the old position (traps 25)',
    given: [
      {
        file: 'lib/runtime/housekeeping.ts',
        find: 'if (nowMs - this.topicsCheckedAtMs >= sessionTimeoutMs) {',
        replace: 'if (nowMs - this.topicsCheckedAtMs >= sessionTimeoutMs * 1_000_000) {',
      },
    ],
    edits: [
      {
        file: 'lib/runtime/input-reader.ts',
        find: '...(topicId === undefined ? {} : { topicId })',
        replace: "...(topicId === '' ? { topicId } : {})",
      },
    ],
  },
  {
    name: 'noted-offsets',
    protects:
      'X1: what was committed is noted; else what keeps offsets from expiring sets them back to where the session began',
    edits: [
      {
        file: 'lib/runtime/session-commit.ts',
        find: 'for (const [key, offset] of output.offsets) committed.set(key, offset);',
        replace: 'void committed;',
      },
    ],
  },
  {
    name: 'stream-time',
    protects: 'the stream time of a task survives its restart; else what is late is taken again (traps 27)',
    edits: [
      {
        file: 'lib/task/create-task.ts',
        find: 'this.scope.streamTimeMs = Math.max(this.scope.streamTimeMs, partitionTimeMs);',
        replace: 'void partitionTimeMs;',
      },
    ],
  },
];
