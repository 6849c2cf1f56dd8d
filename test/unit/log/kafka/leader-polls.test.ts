import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../../../lib/log/kafka/cluster/cluster.js';
import { LeaderPolls, MAX_LEFT_POLLS } from '../../../../lib/log/kafka/reading/leader-polls.js';
import type { FetchAnswer, FetchParameters } from '../../../../lib/log/kafka/requests/fetch.js';
import { createTestHost, settle } from '../../../support/test-host.js';

const leader = { host: 'h', port: 1 };

function asking(fromOffset: number, topicId = 'id'): FetchParameters {
  const partitions = [{ topic: 't', topicId, partition: 0, fromOffset, maxBytes: 10 }];
  return { partitions, isolation: 'readCommitted', maxWaitMs: 500, maxBytes: 10 };
}

function answer(bytes: number): FetchAnswer {
  const ends = { errorCode: 0, highWatermark: 1, lastStableOffset: 1, logStartOffset: 0, aborted: [] };
  return { errorCode: 0, partitions: [{ topic: 't', partition: 0, ...ends, records: Buffer.alloc(bytes) }] };
}

/** Polls at a leader that answers when the test says so. */
function scene() {
  const host = createTestHost();
  const sent: { answer: (value: FetchAnswer) => Promise<void>; isGivenUp: boolean }[] = [];
  const cluster: Pick<Cluster, 'poll'> = {
    poll: <T>() => {
      let resolve: (value: T) => void = () => undefined;
      const promise = new Promise<T>((done) => {
        resolve = done;
      });
      const one = {
        isGivenUp: false,
        answer: async (value: FetchAnswer) => {
          resolve(value as T);
          await settle();
        },
      };
      sent.push(one);
      return {
        answer: promise,
        giveUp: () => {
          one.isGivenUp = true;
        },
      };
    },
  };
  return { host, sent, polls: new LeaderPolls(cluster, host.clock) };
}

describe('long polls at leaders', () => {
  it('P2: are joined by who asks the same, and begun for who asks something else', () => {
    const { sent, polls } = scene();

    const first = polls.join(leader, asking(5));
    const same = polls.join(leader, asking(5));
    const other = polls.join(leader, asking(6));

    expect(same).toBe(first);
    expect(other).not.toBe(first);
    expect(sent.length).toBe(2);
  });

  it('that wait stay for the next fetch when their reader goes on, and give it their answer', async () => {
    const { sent, polls } = scene();
    polls.leave([polls.join(leader, asking(5))]);

    await sent[0]?.answer(answer(3));
    const next = polls.join(leader, asking(5));

    expect(next.outcome).toEqual({ answer: answer(3) });
    expect(sent.length).toBe(1);
  });

  it('P2: that were answered are not answered again', async () => {
    const { sent, polls } = scene();
    const poll = polls.join(leader, asking(5));
    await sent[0]?.answer(answer(3));
    polls.leave([poll]);

    polls.join(leader, asking(5));

    expect(sent.length).toBe(2);
  });

  it('that brought nothing to nobody are forgotten: their ends of the log grow old', async () => {
    const { sent, polls } = scene();
    polls.leave([polls.join(leader, asking(5))]);

    await sent[0]?.answer(answer(0));
    polls.join(leader, asking(5));

    expect(sent.length).toBe(2);
  });

  it('whose answer has waited for long are begun anew', async () => {
    const { host, sent, polls } = scene();
    polls.leave([polls.join(leader, asking(5))]);
    await sent[0]?.answer(answer(3));

    await host.advance(60_000);
    polls.join(leader, asking(5));

    expect(sent.length).toBe(2);
  });

  it('P1: without a reader are given up when there are too many, the oldest first', () => {
    const { sent, polls } = scene();

    for (let fromOffset = 0; fromOffset < MAX_LEFT_POLLS + 2; fromOffset += 1)
      polls.leave([polls.join(leader, asking(fromOffset))]);

    const givenUp = sent.flatMap(({ isGivenUp }, index) => (isGivenUp ? [index] : []));
    expect(givenUp).toEqual([0, 1]);
  });
});
