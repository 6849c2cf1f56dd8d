import { describe, expect, it } from 'vitest';
import type { KafkajsBrokers } from '../../../../lib/log/kafka/net/kafkajs-internals.js';
import { fixedLogins, renewableLogins } from '../../../../lib/log/kafka/net/logins.js';
import type { KafkaCredentials } from '../../../../lib/log/kafka/sasl.js';

/** Logins whose source tells these passwords, one after the other; the last one stays. An error is thrown. */
function logins(...told: readonly (string | Error)[]) {
  const asked: (string | null)[] = [];
  const made: string[] = [];
  const source = async (refused: KafkaCredentials | null): Promise<KafkaCredentials> => {
    const next = told[Math.min(asked.length, told.length - 1)];
    asked.push(refused?.password ?? null);
    await Promise.resolve();
    if (typeof next !== 'string') throw next;
    return { username: 'alice', password: next };
  };
  const open = renewableLogins(source, ({ password }) => {
    made.push(password);
    return nowhere();
  });
  return { open, asked, made };
}

function nowhere(): KafkajsBrokers {
  return { broker: () => Promise.reject(new Error('there are no brokers')) };
}

describe('logins with credentials that may change', () => {
  it('ask for them with the first login alone, however many come at once', async () => {
    const { open, asked, made } = logins('one');

    const brokers = await Promise.all([open.brokers(), open.brokers()]);
    brokers.push(await open.brokers());

    expect(new Set(brokers).size).toBe(1);
    expect({ asked, made }).toEqual({ asked: [null], made: ['one'] });
  });

  it('ask again after a refusal, once for all that were refused, and keep what they hear', async () => {
    const { open, asked, made } = logins('one', 'two');
    const refused = await open.brokers();

    const renewed = await Promise.all([open.renewed(refused), open.renewed(refused)]);
    renewed.push(await open.renewed(refused), await open.brokers());

    expect(new Set(renewed).size).toBe(1);
    expect(renewed).not.toContain(refused);
    expect({ asked, made }).toEqual({ asked: [null, 'one'], made: ['one', 'two'] });
  });

  it('know no better while the credentials stay the same', async () => {
    const { open, made } = logins('one');
    const refused = await open.brokers();

    expect(await open.renewed(refused)).toBeNull();
    expect(await open.brokers()).toBe(refused);
    expect(made).toEqual(['one']);
  });

  it('throw what the source throws, and ask anew the next time', async () => {
    const { open } = logins(new Error('away'), 'one', new Error('away'), 'two');

    await expect(open.brokers()).rejects.toThrow('away');
    const refused = await open.brokers();
    await expect(open.renewed(refused)).rejects.toThrow('away');

    expect(await open.renewed(refused)).not.toBeNull();
  });
});

describe('logins with fixed credentials', () => {
  it('know no better after a refusal', async () => {
    const brokers = nowhere();
    const open = fixedLogins(brokers);

    expect(await open.brokers()).toBe(brokers);
    expect(await open.renewed(brokers)).toBeNull();
  });
});
