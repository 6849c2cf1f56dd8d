import type { Api, ApiRequest } from '../protocol/api.js';

const API: Api = { name: 'InitProducerId', key: 22, version: 1, flexible: false };

/** What the broker takes where there is no transaction to time out. */
const NO_TIMEOUT = 2_147_483_647;

export interface InitialisedProducer {
  readonly errorCode: number;
  readonly producerId: number;
  readonly epoch: number;
}

/** Fences older producers of the transactional id and ends what they left open; null asks for an idempotent producer's id. */
export function initProducerIdRequest(
  transactionalId: string | null,
  transactionTimeoutMs = NO_TIMEOUT,
): ApiRequest<InitialisedProducer> {
  return {
    api: API,
    encode: (writer) => {
      writer.string(transactionalId).int32(transactionTimeoutMs);
    },
    decode(reader) {
      reader.throttle();
      return { errorCode: reader.int16(), producerId: reader.int64(), epoch: reader.int16() };
    },
  };
}
