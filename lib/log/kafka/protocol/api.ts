import { ProtocolReader } from './protocol-reader.js';
import { ProtocolWriter } from './protocol-writer.js';

/** One of Kafka's requests in the one version that we speak. */
export interface Api {
  readonly name: string;
  readonly key: number;
  readonly version: number;
  /** Whether this version has compact types and tagged fields, in its headers too (KIP-482). */
  readonly flexible: boolean;
}

/** A request ready to be sent: how it is written, and how its answer is read. */
export interface ApiRequest<T> {
  readonly api: Api;
  /** How long the broker may sit on it by our own wish (long poll, acknowledgements), in milliseconds. */
  readonly brokerWaitMs?: number;
  /** The same question for brokers that do not speak this version yet. */
  readonly older?: ApiRequest<T>;
  encode(writer: ProtocolWriter): void;
  decode(reader: ProtocolReader): T;
}

/** An answer, and how long the broker wants the client to keep still after it (KIP-219). */
export interface ApiResponse<T> {
  readonly value: T;
  readonly throttleTimeMs: number;
}

/** The request's bytes after the part of the header that kafkajs writes. */
export function encodeRequest(request: ApiRequest<unknown>): Buffer {
  const writer = new ProtocolWriter();
  if (request.api.flexible) writer.noTags();
  request.encode(writer);
  return writer.toBuffer();
}

/** Reads an answer, from behind its correlation id. @throws {MalformedResponse} */
export function decodeResponse<T>(request: ApiRequest<T>, payload: Buffer): ApiResponse<T> {
  const reader = new ProtocolReader(payload);
  if (request.api.flexible) reader.skipTags();
  const value = request.decode(reader);
  return { value, throttleTimeMs: reader.throttleTimeMs };
}
