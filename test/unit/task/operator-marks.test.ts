import { describe, expect, it } from 'vitest';
import { OperatorMarks } from '../../../lib/task/operator-marks.js';

describe('marks of operators', () => {
  it('are those that were set last, though they fell, of all that was committed with the inputs', () => {
    const first = new OperatorMarks([]);
    const mark = first.open('m');
    mark.set(9);
    const older = first.metadata;
    mark.set(4);

    const restored = new OperatorMarks([older, first.metadata, new Map()]).open('m');

    expect(restored.value).toBe(4);
  });

  it('are none before they are set, and then nothing is committed', () => {
    const marks = new OperatorMarks([]);

    expect(marks.open('m').value).toBeNull();
    expect(marks.metadata.size).toBe(0);
  });
});
