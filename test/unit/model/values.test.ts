import { describe, expect, test } from 'vitest';
import { durationMs } from '../../../lib/model/duration.js';
import {
  asStreamsError,
  InternalError,
  InvalidOffsetError,
  InvalidSettingError,
  InvalidTaskIdError,
  TaskMigratedError,
} from '../../../lib/model/errors.js';
import { lagBetween, offset } from '../../../lib/model/offset.js';
import { compareTaskIds, parseTaskId, taskId } from '../../../lib/model/task-id.js';
import { parseTopicPartitionKey, topicPartitionKey } from '../../../lib/model/topic-partition.js';

describe('offsets', () => {
  test.each([-1, -1_001, 1.5, Number.NaN, 2 ** 53])(
    '%d is refused: no sentinel, nothing that is rounded (traps 22, 23)',
    (value) => {
      expect(() => offset(value)).toThrow(InvalidOffsetError);
    },
  );

  test('lag is what lies between, and never negative', () => {
    expect(lagBetween(offset(3), offset(10))).toBe(7);
    expect(lagBetween(offset(10), offset(10))).toBe(0);
    expect(lagBetween(offset(11), offset(10))).toBe(0);
  });
});

describe('durations', () => {
  test.each([
    ['250ms', 250],
    ['5s', 5_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    [0, 0],
  ])('%s is %d ms', (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });

  test.each(['', '5', 's', '-1s', '5 weeks', 1.5, -1, Number.POSITIVE_INFINITY])('%s is refused', (text) => {
    expect(() => durationMs(text)).toThrow(InvalidSettingError);
  });
});

describe('task ids', () => {
  test('are read as they are written', () => {
    expect(parseTaskId(taskId(2, 13))).toEqual({ id: '2_13', subTopology: 2, partition: 13 });
  });

  test.each(['', '1', '1_', '_1', '1_2_3', '1_x', '-1_0'])("'%s' is none", (text) => {
    expect(() => parseTaskId(text)).toThrow(InvalidTaskIdError);
  });

  test('are ordered as numbers, not as text', () => {
    const ids = [taskId(10, 0), taskId(2, 10), taskId(2, 9)];

    expect(ids.sort(compareTaskIds)).toEqual(['2_9', '2_10', '10_0']);
  });
});

describe('partitions', () => {
  test('come back from their key, also when the topic ends in a dash and a number', () => {
    for (const at of [
      { topic: 'orders', partition: 3 },
      { topic: 'orders-3', partition: 0 },
    ]) {
      expect(parseTopicPartitionKey(topicPartitionKey(at))).toEqual(at);
    }
  });
});

describe('errors', () => {
  test('an error of ours stays what it is; an unknown one becomes internal and keeps its cause', () => {
    const ours = new TaskMigratedError('lease gone');
    const theirs = new TypeError('x is undefined');

    expect(asStreamsError(ours)).toBe(ours);
    expect(asStreamsError(theirs)).toBeInstanceOf(InternalError);
    expect(asStreamsError(theirs)).toMatchObject({ kind: 'internal', code: 'STREAMS_INTERNAL', cause: theirs });
  });

  test('an error says its code, kind and remedy', () => {
    const error = new TaskMigratedError('lease gone', { details: { taskId: '0_1' } });

    expect(error).toMatchObject({ name: 'TaskMigratedError', code: 'STREAMS_TASK_MIGRATED', kind: 'fenced' });
    expect(error.remedy).toContain('None needed');
    expect(error.details).toEqual({ taskId: '0_1' });
  });
});
