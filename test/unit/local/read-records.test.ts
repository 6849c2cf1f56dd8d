import { expect, it } from 'vitest';
import { readRecords } from '../../../lib/local/read-records.js';
import { createMemoryLog } from '../../../lib/log/memory/memory-log.js';
import { RecordSetBuilder } from '../../../lib/model/record-set-builder.js';
import { string } from '../../../lib/serde/string-serde.js';
import { createTestHost } from '../../support/test-host.js';

it('a read waits for the transaction that was open when it began, and has what that has committed', async () => {
  const host = createTestHost();
  const log = await createMemoryLog({ host });
  await log.createTopic({ name: 'out', partitions: 1, config: {} });
  const producer = await log.initProducer({ transactionalId: 'p', transactionTimeoutMs: 60_000 });
  const records = new RecordSetBuilder();
  records.append(Buffer.from('k'), Buffer.from('v'), 1);
  await producer.send({ topic: 'out', partition: 0 }, records.build());

  const reading = readRecords(log, 'out', { key: string(), value: string() });
  await host.advance(1);
  await producer.commit();
  await host.advance(1_000);

  expect((await reading).map(({ key, value }) => [key, value])).toEqual([['k', 'v']]);
});
