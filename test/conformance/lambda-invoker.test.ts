import { afterAll, describe, expect, inject, it } from 'vitest';
import type { Invoker } from '../../lib/invoke/invoker.js';
import { createLambdaInvoker } from '../../lib/invoke/lambda/lambda-invoker.js';
import { describeInvokerConformance, type InvokerScene } from '../../lib/testing/conformance/invoker-conformance.js';
import { lambdaClient } from '../support/aws/clients.js';
import { createNotingFunctions, type NotingFunctions } from '../support/aws/noting-functions.js';
import { createTestHost } from '../support/test-host.js';
import { waitFor } from '../support/wait-for.js';

const target = inject('awsTarget');
const client = lambdaClient(target);
const scenes: NotingFunctions<string>[] = [];
afterAll(async () => {
  for (const functions of scenes) await functions.close();
});

async function createScene(): Promise<InvokerScene> {
  const functions = await createNotingFunctions(target, ['task', 'standby', 'scheduler'] as const);
  scenes.push(functions);
  const lambda = createLambdaInvoker({ functionNames: functions.prefix, client, host: createTestHost() });
  let accepted = 0;
  const invoker: Invoker = {
    async invoke(target, payload) {
      await lambda.invoke(target, payload);
      accepted += 1;
    },
  };
  return {
    invoker,
    get received() {
      return functions.notes.map(({ target, event }) => ({ target, payload: event }));
    },
    failNext: () => functions.failNext(),
    async settle() {
      await waitFor('deliveries', async () => functions.notes.length + functions.failures === accepted);
    },
    refuse: () => functions.remove(),
  };
}

describeInvokerConformance({ name: 'lambda', createScene }, { describe, it, expect });
