import { expect, inject, it } from 'vitest';
import { openLog } from '../../support/kafka/log-kit.js';
import { compareRandomTransactions } from '../../support/kafka/random-transactions.js';

const rounds = 10;

it(`random transactions of the Java client read like the Java client reads them, ${rounds} rounds`, async () => {
  const brokers = inject('kafkaBrokers');
  const log = await openLog(brokers);

  const { records, disagreements } = await compareRandomTransactions(log, brokers, { first: 1, count: rounds });

  expect(disagreements).toEqual([]);
  expect(records).toBeGreaterThan(10 * rounds);
  await log.close();
});
