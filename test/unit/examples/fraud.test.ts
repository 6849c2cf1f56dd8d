import { expect, it } from 'vitest';
import suspiciousPayments, {
  type Login,
  type Payment,
  suspicions,
} from '../../../examples/fraud/suspicious-payments.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

const MINUTE_MS = 60_000;

it('names payments up to ten minutes after a login from elsewhere, also where the login is the later to arrive', async () => {
  const driver = await TopologyTestDriver.start(suspiciousPayments);
  const login = (minute: number, country: string, account = 'ada') =>
    driver.pipeInput<string, Login>('logins', { key: account, value: { country }, timestampMs: minute * MINUTE_MS });
  const pay = (paymentId: string, minute: number) =>
    driver.pipeInput<string, Payment>('payments', {
      key: 'ada',
      value: { paymentId, country: 'DK', amountCents: 100 },
      timestampMs: minute * MINUTE_MS,
    });

  await login(0, 'DK');
  await login(5, 'BR');
  await login(5, 'BR', 'bob');
  await pay('before the login', 4);
  await pay('at the last moment', 15);
  await pay('too late', 16);
  await pay('before its login is known', 17);
  await login(16.5, 'JP');
  await driver.advanceWallClockTime('1s'); // maxTaskIdleMs: the task waits that long for more payments

  const found = driver.readOutputs('suspicious-payments', suspicions);
  expect(found.map(({ key, value }) => `${key}: ${value.paymentId}, ${value.loginCountry}`)).toEqual([
    'ada: at the last moment, BR',
    'ada: before its login is known, JP',
  ]);
  await driver.close();
});
