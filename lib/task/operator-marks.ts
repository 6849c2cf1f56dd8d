import type { CommittedMark } from '../processor/engine-context.js';
import type { ProcessorMetadata } from './processor-metadata.js';

const valueName = (name: string) => `${name}.mark`;

/**
 * Numbers of operators that may fall as well as grow. What is committed beside the inputs' offsets is of different ages, and
 * tells it by growing: so each mark has a count of its changes, and the value of the greatest count is the newest.
 */
export class OperatorMarks {
  private readonly restored: readonly ProcessorMetadata[];
  private readonly marks = new Map<string, OperatorMark>();

  /** @param restored metadata of each input, as it was committed */
  constructor(restored: readonly ProcessorMetadata[]) {
    this.restored = restored;
  }

  /** The mark of that name; whoever asks again gets the same one. */
  open(name: string): CommittedMark {
    const open = this.marks.get(name);
    if (open !== undefined) return open;
    const mark = new OperatorMark();
    for (const metadata of this.restored) {
      const [changes, value] = [metadata.get(name), metadata.get(valueName(name))];
      if (changes === undefined || value === undefined || Number(changes) <= mark.changes) continue;
      mark.changes = Number(changes);
      mark.value = Number(value);
    }
    this.marks.set(name, mark);
    return mark;
  }

  get names(): readonly string[] {
    return [...this.marks.keys()].flatMap((name) => [name, valueName(name)]);
  }

  /** What to commit of it now; it replaces what else bears these names. */
  get metadata(): ProcessorMetadata {
    const metadata = new Map<string, bigint>();
    for (const [name, { changes, value }] of this.marks) {
      if (value !== null) metadata.set(name, BigInt(changes)).set(valueName(name), BigInt(value));
    }
    return metadata;
  }
}

class OperatorMark implements CommittedMark {
  value: number | null = null;
  changes = 0;

  set(value: number): void {
    if (value === this.value) return;
    this.value = value;
    this.changes += 1;
  }
}
