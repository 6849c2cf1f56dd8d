import type { CommittedMark } from '../processor/engine-context.js';
import type { OperatorMarks } from './operator-marks.js';
import { MAX_PERMUTED, permutationNumber, permutationOf } from './permutation.js';
import type { PunctuationSchedule } from './punctuation-schedule.js';

const MARK = 'stream-time-punctuations';

/**
 * Commits in which order punctuations by stream time would be called that are due at one point: it depends on what was called
 * before, which the restored stream time does not tell. Of those that the processors schedule as they begin; of more than
 * {@link MAX_PERMUTED} it is forgotten.
 */
export class PunctuationOrder {
  private readonly schedule: PunctuationSchedule;
  private readonly mark: CommittedMark | null;
  private readonly count: number;

  /** Made once all processors have begun; restores the order. */
  constructor(schedule: PunctuationSchedule, marks: OperatorMarks) {
    this.schedule = schedule;
    this.count = schedule.scheduled.length;
    this.mark = this.count < 2 || this.count > MAX_PERMUTED ? null : marks.open(MARK);
    const value = this.mark?.value ?? null;
    const order = value === null ? null : permutationOf(value, this.count);
    if (order !== null) schedule.arrange(order);
  }

  /** Notes what is to be committed. */
  note(): void {
    if (this.mark === null) return;
    const order = this.schedule.order.filter((number) => number < this.count);
    const cancelled = Array.from({ length: this.count }, (_, number) => number).filter((each) => !order.includes(each));
    const number = permutationNumber([...order, ...cancelled]);
    if (number !== 0 || this.mark.value !== null) this.mark.set(number);
  }
}
