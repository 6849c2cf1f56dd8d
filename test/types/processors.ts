/** What processors take and forward, and what they refuse. Checked by the compiler alone (`npm run test:types`). */
import { expectTypeOf } from 'vitest';
import {
  type FixedKeyProcessor,
  type FixedKeyProcessorContext,
  type FixedKeyRecord,
  type KStream,
  long,
  type Processor,
  type ProcessorContext,
  StreamRecord,
  StreamsBuilder,
  string,
} from '../../lib/index.js';

const stream = new StreamsBuilder().stream('in', { key: string(), value: string() });

class Lengths implements FixedKeyProcessor<string, string, number> {
  declare private context: FixedKeyProcessorContext<string, number>;

  init(context: FixedKeyProcessorContext<string, number>): void {
    this.context = context;
  }

  async process(record: FixedKeyRecord<string, string>): Promise<void> {
    expectTypeOf(record.key).toEqualTypeOf<string>();
    await this.context.forward(record.withValue(record.value.length).withTimestamp(1).withHeaders([]));
    // @ts-expect-error the key stays
    record.withKey('other');
    // @ts-expect-error it forwards numbers
    await this.context.forward(record);
    // @ts-expect-error a record of its own has no key that came in
    await this.context.forward(StreamRecord.of({ key: record.key, value: 1, timestampMs: 0 }));
  }
}
expectTypeOf(stream.processValues(() => new Lengths(), { value: long() })).toEqualTypeOf<KStream<string, number>>();
// @ts-expect-error what it forwards has another type: a serde is needed
stream.processValues(() => new Lengths());
expectTypeOf(stream.processValues(() => ({ process: () => undefined }))).toEqualTypeOf<KStream<string, string>>();

class Upper implements Processor<string, string, string, string> {
  declare private context: ProcessorContext<string, string>;

  init(context: ProcessorContext<string, string>): void {
    this.context = context;
  }

  process(record: StreamRecord<string, string>) {
    return this.context.forward(record.withKey('other'));
  }
}
stream.process(() => new Upper());
// @ts-expect-error it may change keys
stream.processValues(() => new Upper());
// @ts-expect-error it takes records whose keys stay, which those of `process` are not
stream.process(() => new Lengths(), { key: string(), value: long() });
