/**
 * The price of each parcel, by the rate of the place that it goes to: its town's if there is one, else its country's, else that of
 * everywhere. A join looks up one key; a processor may look up as many as it likes, of a table that each member holds whole.
 */
import {
  defineApp,
  type FixedKeyProcessor,
  type FixedKeyProcessorContext,
  json,
  long,
  type ReadOnlyKeyValueStore,
  StreamsBuilder,
  string,
  type ValueAndTimestamp,
} from '../../lib/index.js';

export interface Parcel {
  readonly country: string;
  readonly town: string;
  readonly kilos: number;
}

export interface PricedParcel extends Parcel {
  /** Null: there is no rate for its place. */
  readonly priceCents: number | null;
}

export const parcels = { key: string(), value: json<Parcel>() };
/** Cents per kilo by `DK/Aarhus`, `DK` or `*`. */
export const rates = { key: string(), value: long() };
export const pricedParcels = { key: string(), value: json<PricedParcel>() };

const builder = new StreamsBuilder();

builder.globalTable('rates', { ...rates, store: 'rates' });

builder.stream('parcels', parcels).processValues(priceParcels, { value: pricedParcels.value }).to('priced-parcels');

function priceParcels(): FixedKeyProcessor<string, Parcel, PricedParcel> {
  let context: FixedKeyProcessorContext<string, PricedParcel>;
  let ratesByPlace: ReadOnlyKeyValueStore<string, ValueAndTimestamp<number>>;
  return {
    init(given) {
      context = given;
      ratesByPlace = given.getStateStore('rates');
    },
    async process(record) {
      const { country, town, kilos } = record.value;
      const rate =
        (await ratesByPlace.get(`${country}/${town}`)) ??
        (await ratesByPlace.get(country)) ??
        (await ratesByPlace.get('*'));
      const priceCents = rate === null ? null : rate.value * kilos;
      await context.forward(record.withValue({ ...record.value, priceCents }));
    },
  };
}

export default defineApp({ applicationId: 'parcel-prices', topology: builder.build() });
