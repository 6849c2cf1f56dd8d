/** Charges the card of each order, and says so in the topic `charged`. */

import type { StreamRecord } from '../../lib/index.js';
import { defineApp, json, type Processor, type ProcessorContext, StreamsBuilder, string } from '../../lib/index.js';
import type { Charge, Payments } from './fake-payments.js';

export interface ChargesOptions {
  readonly payments: Payments;
  /** Whether charges carry a key by which the service knows one that it has made already. */
  readonly isIdempotent: boolean;
}

export function chargesApp(options: ChargesOptions) {
  const builder = new StreamsBuilder();
  builder
    .stream('orders', { key: string(), value: json<Charge>() })
    .process(() => new ChargeCard(options), { key: string(), value: json<Charge>() })
    .to('charged');
  return defineApp({ applicationId: 'charges', topology: builder.build() });
}

/**
 * Exactly once holds for what the log holds: output, state and offsets are committed together, or not at all. A card is outside
 * of that. After a crash between the charge and the commit the order is processed again, and so is what `process` does to the
 * outside; only the service itself can know that it is the same charge.
 */
class ChargeCard implements Processor<string, Charge, string, Charge> {
  private readonly options: ChargesOptions;
  private context: ProcessorContext<string, Charge> | null = null;

  constructor(options: ChargesOptions) {
    this.options = options;
  }

  init(context: ProcessorContext<string, Charge>): void {
    this.context = context;
  }

  async process(order: StreamRecord<string, Charge>): Promise<void> {
    const { payments, isIdempotent } = this.options;
    if (isIdempotent) await payments.charge(order.value, this.whereFrom());
    else await payments.charge(order.value);
    await this.context?.forward(order);
  }

  /** The place of the record in the log: unique, and the same each time it is processed. */
  private whereFrom(): string {
    const at = this.context?.recordMetadata();
    return `${at?.topic}-${at?.partition}-${at?.offset}`;
  }
}
