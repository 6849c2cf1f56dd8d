import { tryOut } from '../try-out.js';
import parcelPrices, { parcels, pricedParcels, rates } from './parcel-prices.js';

const priced = await tryOut(parcelPrices, {
  topics: ['rates', 'parcels', 'priced-parcels'],
  async input(streams) {
    await streams.append('rates', rates, [
      { key: 'DK', value: 300 },
      { key: 'DK/Aarhus', value: 250 },
      { key: '*', value: 900 },
    ]);
    await streams.append('parcels', parcels, [
      { key: 'parcel-1', value: { country: 'DK', town: 'Aarhus', kilos: 2 } },
      { key: 'parcel-2', value: { country: 'DK', town: 'Odense', kilos: 2 } },
      { key: 'parcel-3', value: { country: 'JP', town: 'Kobe', kilos: 2 } },
    ]);
  },
  output: (streams) => streams.read('priced-parcels', pricedParcels),
});

for (const { key, value } of priced) console.log(`${key} to ${value?.town}: ${value?.priceCents} cents`);
