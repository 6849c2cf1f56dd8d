/** How we say who we are (SASL). kafkajs speaks the mechanisms; tokens come from whoever can make them. */
import type { Mechanism, SASLOptions } from 'kafkajs';
import { InvalidSettingError } from '../../model/errors.js';
import { bearerMechanism } from './sasl-bearer.js';

/** Makes a token for MSK's IAM authentication; the package `aws-msk-iam-sasl-signer-js` has one. */
export type MskIamSigner = (options: { readonly region: string }) => Promise<{ readonly token: string }>;

export interface KafkaCredentials {
  readonly username: string;
  readonly password: string;
}

/**
 * Tells the credentials, where they may change while the log is open.
 *
 * Called with null before the first login, and with those that a broker has refused before the log gives up: others are tried
 * once, the same ones mean that the refusal stands. May throw; the log throws that on, so it is better one of ours.
 */
export type CredentialsSource = (refused: KafkaCredentials | null) => Promise<KafkaCredentials>;

type PasswordMechanism = 'plain' | 'scram-sha-256' | 'scram-sha-512';

export type KafkaSaslOptions =
  | FixedSaslOptions
  | { readonly mechanism: PasswordMechanism; readonly credentials: CredentialsSource };

/** Who we are does not change, or is asked for by the mechanism itself. */
export type FixedSaslOptions =
  | (KafkaCredentials & { readonly mechanism: PasswordMechanism })
  | {
      readonly mechanism: 'oauthbearer';
      /** Called for each connection, and again before a broker's session ends (KIP-368). */
      readonly token: () => Promise<string>;
    }
  | {
      readonly mechanism: 'msk-iam';
      readonly region: string;
      /** Default: `aws-msk-iam-sasl-signer-js`, which has to be installed beside this library, and is loaded only here. */
      readonly signer?: MskIamSigner;
    };

const SIGNER_PACKAGE = 'aws-msk-iam-sasl-signer-js';

/** @throws {InvalidSettingError} STREAMS_INVALID_SETTING; never with a password in it */
export function checkSasl(sasl: KafkaSaslOptions): void {
  switch (sasl.mechanism) {
    case 'plain':
    case 'scram-sha-256':
    case 'scram-sha-512':
      if ('credentials' in sasl) {
        if (typeof sasl.credentials !== 'function') throw invalid(sasl.mechanism, 'a function that tells credentials');
        return;
      }
      if (!isText(sasl.username) || !isText(sasl.password)) throw invalid(sasl.mechanism, 'a username and a password');
      return;
    case 'oauthbearer':
      if (typeof sasl.token !== 'function') throw invalid(sasl.mechanism, 'a function that makes tokens');
      return;
    case 'msk-iam':
      if (!isText(sasl.region)) throw invalid(sasl.mechanism, 'a region');
      return;
    default:
      throw invalid(String((sasl as { mechanism?: unknown }).mechanism), 'another mechanism');
  }
}

/** The same for kafkajs. */
export function kafkajsSasl(sasl: FixedSaslOptions): SASLOptions | Mechanism {
  switch (sasl.mechanism) {
    case 'plain':
      return { mechanism: 'plain', username: sasl.username, password: sasl.password };
    case 'scram-sha-256':
      return { mechanism: 'scram-sha-256', username: sasl.username, password: sasl.password };
    case 'scram-sha-512':
      return { mechanism: 'scram-sha-512', username: sasl.username, password: sasl.password };
    case 'oauthbearer':
      return bearerMechanism(sasl.token);
    case 'msk-iam':
      return bearerMechanism(async () => {
        const sign = sasl.signer ?? (await loadSigner());
        return (await sign({ region: sasl.region })).token;
      });
  }
}

async function loadSigner(): Promise<MskIamSigner> {
  try {
    // Not a literal: bundlers are not to look for a package that only few have.
    const name: string = SIGNER_PACKAGE;
    const { generateAuthToken } = (await import(name)) as { readonly generateAuthToken?: MskIamSigner };
    if (generateAuthToken !== undefined) return generateAuthToken;
  } catch (cause) {
    throw missingSigner(cause);
  }
  throw missingSigner(undefined);
}

function missingSigner(cause: unknown): InvalidSettingError {
  return new InvalidSettingError(`SASL msk-iam: ${SIGNER_PACKAGE} can not be loaded`, {
    cause,
    remedy: `Install ${SIGNER_PACKAGE} beside this library, or give a signer.`,
  });
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function invalid(mechanism: string, expected: string): InvalidSettingError {
  return new InvalidSettingError(`Kafka option sasl: '${mechanism}' needs ${expected}`, { details: { mechanism } });
}
