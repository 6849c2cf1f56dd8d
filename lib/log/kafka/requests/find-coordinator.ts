import type { Api, ApiRequest } from '../protocol/api.js';
import type { NodeAddress } from './metadata.js';

const API: Api = { name: 'FindCoordinator', key: 10, version: 2, flexible: false };

export type CoordinatorKind = 'group' | 'transaction';
const KEY_TYPES: Readonly<Record<CoordinatorKind, number>> = { group: 0, transaction: 1 };

export interface FoundCoordinator {
  readonly errorCode: number;
  readonly node: NodeAddress;
}

/** Which node coordinates a group or a transactional id. */
export function findCoordinatorRequest(kind: CoordinatorKind, id: string): ApiRequest<FoundCoordinator> {
  return {
    api: API,
    encode: (writer) => {
      writer.string(id).int8(KEY_TYPES[kind]);
    },
    decode(reader) {
      reader.throttle();
      const errorCode = reader.int16();
      reader.nullableString();
      return { errorCode, node: { nodeId: reader.int32(), host: reader.string(), port: reader.int32() } };
    },
  };
}
