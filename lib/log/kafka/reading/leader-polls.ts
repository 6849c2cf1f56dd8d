/**
 * Long polls to leaders, one for each question that is asked again and again.
 *
 * A reader of partitions with several leaders goes on when the first of them answers; the polls at the others are still
 * waiting. The reader's next fetch asks those leaders the same question: it joins the poll that is under way instead of
 * beginning another, so that a busy leader and a quiet one cost one waiting request, not one for each fetch.
 *
 * Invariants
 *   P1  at most MAX_LEFT_POLLS polls wait, or hold an answer, without a reader; older ones are given up
 *   P2  an answer is taken by the fetch that finds it there, and no later one: it may be joined, never repeated
 */
import type { Clock } from '../../../host/host.js';
import type { Cluster } from '../cluster/cluster.js';
import type { Address, Poll } from '../net/transport.js';
import { type FetchAnswer, type FetchParameters, fetchRequest } from '../requests/fetch.js';

/** Polls without a reader that are kept. */
export const MAX_LEFT_POLLS = 16;
/** An answer without a reader is used within this time: its ends of the log grow old. */
const MAX_ANSWER_AGE_MS = 1_000;

/** How a poll ended: with an answer, or with what was thrown. */
export type Outcome = { readonly answer: FetchAnswer } | { readonly thrown: unknown };

export interface LeaderPoll {
  readonly key: string;
  readonly leader: Address;
  /** Settles with the poll; never rejects. */
  readonly settled: Promise<void>;
  /** Undefined while the poll waits. */
  outcome: Outcome | undefined;
  settledAtMs: number;
  readers: number;
  giveUp(): void;
}

export class LeaderPolls {
  private readonly cluster: Pick<Cluster, 'poll'>;
  private readonly clock: Clock;
  private readonly polls = new Map<string, LeaderPoll>();

  constructor(cluster: Pick<Cluster, 'poll'>, clock: Clock) {
    this.cluster = cluster;
    this.clock = clock;
  }

  /** The poll that asks this, begun now unless it is under way. */
  join(leader: Address, parameters: FetchParameters): LeaderPoll {
    const key = keyOf(leader, parameters);
    const known = this.polls.get(key);
    const poll = known === undefined || this.isOld(known) ? this.begin(key, leader, parameters) : known;
    poll.readers += 1;
    return poll;
  }

  /** A reader goes on: answered polls are done, waiting ones stay for whoever asks the same next. */
  leave(polls: readonly LeaderPoll[]): void {
    for (const poll of polls) {
      poll.readers -= 1;
      if (poll.outcome !== undefined && this.polls.get(poll.key) === poll) this.polls.delete(poll.key);
    }
    this.giveUpOldest();
  }

  private begin(key: string, leader: Address, parameters: FetchParameters): LeaderPoll {
    const { answer, giveUp }: Poll<FetchAnswer> = this.cluster.poll(leader, fetchRequest(parameters));
    const settle = (outcome: Outcome) => {
      poll.outcome = outcome;
      poll.settledAtMs = this.clock.monotonic();
      if (poll.readers === 0 && !bringsSomething(poll) && this.polls.get(key) === poll) this.polls.delete(key);
    };
    const poll: LeaderPoll = {
      key,
      leader,
      outcome: undefined,
      settledAtMs: 0,
      readers: 0,
      giveUp,
      settled: answer.then(
        (value) => settle({ answer: value }),
        (thrown: unknown) => settle({ thrown }),
      ),
    };
    this.polls.set(key, poll);
    return poll;
  }

  private isOld({ outcome, readers, settledAtMs }: LeaderPoll): boolean {
    return outcome !== undefined && readers === 0 && this.clock.monotonic() - settledAtMs > MAX_ANSWER_AGE_MS;
  }

  private giveUpOldest(): void {
    const left = [...this.polls.values()].filter(({ readers }) => readers === 0);
    for (const poll of left.slice(0, Math.max(0, left.length - MAX_LEFT_POLLS))) {
      this.polls.delete(poll.key);
      poll.giveUp();
    }
  }
}

/** Whether a reader has reason to go on: records, or an error. */
export function bringsSomething({ outcome }: LeaderPoll): boolean {
  if (outcome === undefined) return false;
  if ('thrown' in outcome || outcome.answer.errorCode !== 0) return true;
  return outcome.answer.partitions.some(({ errorCode, records }) => errorCode !== 0 || records.length > 0);
}

function keyOf({ host, port }: Address, { partitions, isolation, maxWaitMs, maxBytes }: FetchParameters): string {
  const asked = partitions.map((at) => `${at.topic}-${at.partition}@${at.fromOffset} ${at.topicId}`).sort();
  return `${host}:${port} ${isolation} ${maxWaitMs} ${maxBytes} ${asked.join(' ')}`;
}
