/**
 * SASL OAUTHBEARER (RFC 7628) for kafkajs, whose own takes a refusal for a success: a broker refuses a token not by an error
 * but by a challenge that says why, where success has an empty one.
 */
import type { Mechanism } from 'kafkajs';
import { InvalidSettingError } from '../../model/errors.js';

const LENGTH_BYTES = 4;
const SEPARATOR = '\u0001';

/** Sends a token, made anew for each authentication; what the broker answers to it decides. */
export function bearerMechanism(token: () => Promise<string>): Mechanism {
  return {
    mechanism: 'OAUTHBEARER',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const message = firstMessage(await token());
        const challenge = await saslAuthenticate({
          request: { encode: () => message },
          response: {
            decode: (raw) => raw.subarray(LENGTH_BYTES),
            parse: (words) => words.toString(),
          },
        });
        if (challenge !== undefined && challenge !== '')
          throw new InvalidSettingError(`SASL OAUTHBEARER: the token was refused: ${challenge}`);
      },
    }),
  };
}

/** The token in the form of RFC 7628, with its length in front as kafkajs wants it. */
function firstMessage(token: string): Buffer {
  const text = Buffer.from(`n,,${SEPARATOR}auth=Bearer ${token}${SEPARATOR}${SEPARATOR}`);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(text.length);
  return Buffer.concat([length, text]);
}
