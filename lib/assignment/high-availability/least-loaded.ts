/**
 * Members by load, least first; of equals the first in order. Kafka: `ConstrainedPrioritySet`.
 *
 * A member's load may change only while it is out: take it, give it something, put it back.
 */
import type { MemberState } from '../cluster.js';
import { Heap } from './heap.js';

export class LeastLoaded {
  private readonly heap: Heap<MemberState>;

  constructor(members: Iterable<MemberState>, loadOf: (member: MemberState) => number = (member) => member.load) {
    this.heap = new Heap((a, b) => loadOf(a) - loadOf(b) || a.index - b.index);
    for (const member of members) this.put(member);
  }

  /** Takes out the least loaded member that is accepted; those passed over stay. Undefined: none is. */
  take(accepts: (member: MemberState) => boolean = () => true): MemberState | undefined {
    const passedOver: MemberState[] = [];
    let member = this.heap.pop();
    while (member !== undefined && !accepts(member)) {
      passedOver.push(member);
      member = this.heap.pop();
    }
    for (const other of passedOver) this.put(other);
    return member;
  }

  /** Puts in a member that is not there. */
  put(member: MemberState): void {
    this.heap.push(member);
  }
}
