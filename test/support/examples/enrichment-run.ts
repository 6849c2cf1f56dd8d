import parcelPrices, { parcels, pricedParcels, rates } from '../../../examples/enrichment/parcel-prices.js';
import { type ExampleRun, lastByKey, sorted } from './example-run.js';
import { madeUp } from './made-up.js';

const PARCELS = 300;
const COUNTRIES = ['BR', 'DK', 'FO', 'JP'];
const TOWNS = Array.from({ length: 20 }, (_, index) => `town-${index}`);

/** Rates lie in other partitions than the parcels that they are for, and have changed before the first parcel comes. */
export function enrichmentRun(): ExampleRun {
  const chance = madeUp(5);
  const rateOf = new Map<string, number>([['*', 900]]);
  const updates = [...rateOf].map(([key, value]) => ({ key, value }));
  for (let update = 0; update < 80; update += 1) {
    const country = chance.pick(COUNTRIES.slice(1));
    const key = chance.between(0, 9) === 0 ? country : `${country}/${chance.pick(TOWNS)}`;
    const value = chance.between(100, 800);
    rateOf.set(key, value);
    updates.push({ key, value });
  }
  const records = Array.from({ length: PARCELS }, (_, index) => ({
    key: `parcel-${index}`,
    value: { country: chance.pick(COUNTRIES), town: chance.pick(TOWNS), kilos: chance.between(1, 20) },
  }));
  const rateFor = (country: string, town: string) =>
    rateOf.get(`${country}/${town}`) ?? rateOf.get(country) ?? rateOf.get('*') ?? Number.NaN;
  return {
    name: 'enrichment',
    app: parcelPrices,
    topics: ['rates', 'parcels', 'priced-parcels'],
    async input(streams) {
      await streams.append('rates', rates, updates);
      await streams.append('parcels', parcels, records);
    },
    output: async (streams) => {
      const priced = await streams.read('priced-parcels', pricedParcels);
      return lastByKey(priced.map(({ key, value }) => ({ key: String(key), value })));
    },
    wanted: sorted(
      records.map(({ key, value }) => [
        key,
        { ...value, priceCents: rateFor(value.country, value.town) * value.kilos },
      ]),
    ),
  };
}
