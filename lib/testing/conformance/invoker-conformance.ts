/** What every adapter of the invoker port has to keep: a request is accepted or refused, and delivered as it was sent. */
import type { Invoker } from '../../invoke/invoker.js';
import type { FunctionName, Payload } from '../../invoke/payloads.js';
import { offset } from '../../model/offset.js';
import type { TestRunner } from './test-runner.js';
import { codeOf } from './test-runner.js';

/** An invoker whose functions write down what they are invoked with. */
export interface InvokerScene {
  readonly invoker: Invoker;
  /** What has arrived so far, in order. */
  readonly received: readonly { readonly target: FunctionName; readonly payload: unknown }[];
  /** The next invocation's function throws. */
  failNext(): void;
  /** Waits until all that was accepted has been delivered. */
  settle(): Promise<void>;
  /** Makes the service refuse requests from now on. */
  refuse(): Promise<void>;
}

export interface InvokerConformanceTarget {
  /** What the suite is called, e.g. `memory`. */
  readonly name: string;
  createScene(): Promise<InvokerScene>;
}

const runMember = {
  type: 'run-member',
  applicationId: 'app',
  expiresAtMs: 5_000,
  memberId: 'member-2',
  incarnation: 3,
} as const;
const doorbell = {
  type: 'doorbell',
  applicationId: 'app',
  expiresAtMs: 5_000,
  partitions: [
    { topic: 'orders', partition: 0, toOffset: offset(2 ** 40) },
    { topic: 'orders', partition: 1, toOffset: null },
  ],
} as const;
const advance = { type: 'advance-snapshots', applicationId: 'app', expiresAtMs: 5_000, taskIds: ['0_1'] } as const;
const tick = { type: 'tick', applicationId: 'app', expiresAtMs: 5_000, reason: 'member-2 failed' } as const;

/** Declares the suite's tests with the runner's functions. */
export function describeInvokerConformance(
  target: InvokerConformanceTarget,
  { describe, it, expect }: TestRunner,
): void {
  describe(`invoker port: ${target.name}`, () => {
    it('each function receives the payloads sent to it, field for field', async () => {
      const scene = await target.createScene();

      await scene.invoker.invoke('task', runMember);
      await scene.invoker.invoke('task', doorbell);
      await scene.invoker.invoke('standby', advance);
      await scene.invoker.invoke('scheduler', tick);
      await scene.settle();

      const to = (name: FunctionName): unknown[] =>
        scene.received.filter((one) => one.target === name).map((one) => one.payload);
      const byType = (payloads: unknown[]) => [...(payloads as Payload[])].sort((a, b) => (a.type < b.type ? -1 : 1));
      expect(byType(to('task'))).toEqual([doorbell, runMember]);
      expect([to('standby'), to('scheduler')]).toEqual([[advance], [tick]]);
    });

    it('an invocation returns before the function has run', async () => {
      const scene = await target.createScene();

      await scene.invoker.invoke('scheduler', tick);
      const before = scene.received.length;
      await scene.settle();

      expect([before, scene.received.length]).toEqual([0, 1]);
    });

    it('a function that throws does not reach its caller, and later invocations are delivered', async () => {
      const scene = await target.createScene();
      scene.failNext();

      await scene.invoker.invoke('scheduler', tick);
      await scene.settle();
      await scene.invoker.invoke('standby', advance);
      await scene.settle();

      expect(scene.received.at(-1)).toEqual({ target: 'standby', payload: advance });
    });

    it('a refused request is STREAMS_UNAVAILABLE', async () => {
      const scene = await target.createScene();
      await scene.refuse();

      expect(await codeOf(scene.invoker.invoke('scheduler', tick))).toBe('STREAMS_UNAVAILABLE');
      expect(scene.received.length).toBe(0);
    });
  });
}
