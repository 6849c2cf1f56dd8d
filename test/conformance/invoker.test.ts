import { describe, expect, it } from 'vitest';
import { createMemoryInvoker } from '../../lib/invoke/memory/memory-invoker.js';
import type { FunctionName } from '../../lib/invoke/payloads.js';
import { describeInvokerConformance, type InvokerScene } from '../../lib/testing/conformance/invoker-conformance.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

async function createScene(): Promise<InvokerScene> {
  const received: { target: FunctionName; payload: unknown }[] = [];
  let isToFail = false;
  const invoker = createMemoryInvoker({ clock: { sleep: nextTurn } });
  for (const target of ['task', 'standby', 'scheduler'] as const) {
    invoker.register(target, async (payload) => {
      if (isToFail) {
        isToFail = false;
        throw new Error('asked to fail');
      }
      received.push({ target, payload });
    });
  }
  return {
    invoker,
    received,
    failNext: () => {
      isToFail = true;
    },
    settle: () => invoker.idle(),
    refuse: () => invoker.close(),
  };
}

describeInvokerConformance({ name: 'memory', createScene }, { describe, it, expect });
