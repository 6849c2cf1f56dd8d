/**
 * Who we are to the brokers, as far as it is known now.
 *
 * What opens connections holds one set of credentials, and is made anew for another: no login mixes two sets, and connections
 * that are open stay as they are. Nothing is read while logins succeed.
 */
import type { CredentialsSource, KafkaCredentials } from '../sasl.js';
import type { KafkajsBrokers } from './kafkajs-internals.js';

export interface Logins {
  /** What opens connections now. */
  brokers(): Promise<KafkajsBrokers>;
  /** After a broker refused a login made with these: what to try once more with, or null if nobody knows better. */
  renewed(refused: KafkajsBrokers): Promise<KafkajsBrokers | null>;
}

interface Known {
  readonly credentials: KafkaCredentials;
  readonly brokers: KafkajsBrokers;
}

/** Credentials that stay as they are, or make what changes by themselves (tokens). */
export function fixedLogins(brokers: KafkajsBrokers): Logins {
  return { brokers: async () => brokers, renewed: async () => null };
}

/**
 * Credentials that are asked for with the first login, and again after a refusal; refusals at the same time share a reading.
 *
 * @param brokersWith what opens connections with these credentials
 */
export function renewableLogins(
  source: CredentialsSource,
  brokersWith: (credentials: KafkaCredentials) => KafkajsBrokers,
): Logins {
  let known: Known | null = null;
  let reading: Promise<Known> | null = null;

  const read = (): Promise<Known> => {
    reading ??= readOnce().finally(() => {
      reading = null;
    });
    return reading;
  };
  const readOnce = async (): Promise<Known> => {
    const credentials = await source(known?.credentials ?? null);
    if (known === null || !areSame(known.credentials, credentials))
      known = { credentials, brokers: brokersWith(credentials) };
    return known;
  };

  return {
    brokers: async () => (known ?? (await read())).brokers,
    async renewed(refused) {
      // Somebody else was refused before and has read since.
      if (known !== null && known.brokers !== refused) return known.brokers;
      const { brokers } = await read();
      return brokers === refused ? null : brokers;
    },
  };
}

function areSame(one: KafkaCredentials, other: KafkaCredentials): boolean {
  return one.username === other.username && one.password === other.password;
}
