import { expect, it } from 'vitest';
import { asClient } from '../../../lib/local/as-client.js';
import { defineApp } from '../../../lib/topology/app.js';
import { countingTopology } from '../../support/task-world.js';

it('ends with what nobody caught, as Kafka Streams does, unless the setting says otherwise', () => {
  const app = defineApp({ applicationId: 'app', topology: countingTopology() });
  const patient = defineApp({ ...app, settings: { uncaughtExceptionHandler: 'replaceThread' } });

  expect(asClient(app).settings.uncaughtExceptionHandler).toBe('shutdownClient');
  expect(asClient(patient).settings.uncaughtExceptionHandler).toBe('replaceThread');
});
