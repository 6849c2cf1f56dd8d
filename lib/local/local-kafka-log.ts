import type { Host } from '../host/host.js';
import { createKafkaLog as createLog, type KafkaLog } from '../log/kafka/kafka-log.js';
import type { KafkaLogOptions } from '../log/kafka/kafka-log-options.js';
import { quietHost } from './quiet-host.js';

/** As `KafkaLogOptions`; the host may be left out. */
export interface LocalKafkaLogOptions extends Omit<KafkaLogOptions, 'host'> {
  /** Default: this machine, logging warnings and errors to the standard error stream. */
  readonly host?: Host;
}

/**
 * Kafka's log, connected, for `LocalStreams.start({ log })`. Close it after the streams.
 *
 * @throws {InvalidSettingError} STREAMS_INVALID_SETTING · {UnavailableError} STREAMS_UNAVAILABLE if no broker answers
 */
export function createKafkaLog(options: LocalKafkaLogOptions): Promise<KafkaLog> {
  return createLog({ ...options, host: options.host ?? quietHost() });
}
