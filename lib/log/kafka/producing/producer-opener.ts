import { InvalidSettingError } from '../../../model/errors.js';
import type { ProducerOptions } from '../../log.js';
import { failOn } from '../failures.js';
import { throwIfAborted, untilAborted } from '../log-errors.js';
import { initProducerIdRequest } from '../requests/init-producer-id.js';
import { KafkaProducer, type KafkaProducerOptions } from './kafka-producer.js';

/** Initialises transactional producers: fences the older ones and ends what they left open (L3). */
export class ProducerOpener {
  private readonly options: KafkaProducerOptions;

  constructor(options: KafkaProducerOptions) {
    this.options = options;
  }

  /** See `Log.initProducer`. */
  async open({ transactionalId, transactionTimeoutMs, signal }: ProducerOptions): Promise<KafkaProducer> {
    throwIfAborted(signal);
    if (!Number.isSafeInteger(transactionTimeoutMs) || transactionTimeoutMs <= 0)
      throw new InvalidSettingError(`transaction.timeout.ms: ${transactionTimeoutMs} was given`, {
        details: { transactionalId, transactionTimeoutMs },
      });
    return untilAborted(this.initialise(transactionalId, transactionTimeoutMs, signal), signal);
  }

  private initialise(
    transactionalId: string,
    transactionTimeoutMs: number,
    signal: AbortSignal | undefined,
  ): Promise<KafkaProducer> {
    const { cluster, retrier } = this.options;
    const what = `initialise the producer of ${transactionalId}`;
    return retrier.run({
      what,
      details: { transactionalId },
      signal,
      attempt: async () => {
        const coordinator = await cluster.coordinator('transaction', transactionalId);
        // The caller may have gone meanwhile: to fence now would only hurt who came after it.
        throwIfAborted(signal);
        const request = initProducerIdRequest(transactionalId, transactionTimeoutMs);
        const { errorCode, producerId, epoch } = await cluster.send(coordinator, request);
        failOn(what, errorCode, { transactionalId, transactionTimeoutMs });
        return new KafkaProducer({ transactionalId, producerId, epoch }, this.options);
      },
      forget: (failure) => cluster.forget(failure, [], ['transaction', transactionalId]),
    });
  }
}
