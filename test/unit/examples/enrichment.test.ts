import { expect, it } from 'vitest';
import parcelPrices, { type Parcel, pricedParcels } from '../../../examples/enrichment/parcel-prices.js';
import { TopologyTestDriver } from '../../../lib/testing/index.js';

it('prices a parcel by the most exact rate that there is now, and says so where there is none', async () => {
  const driver = await TopologyTestDriver.start(parcelPrices);
  const rate = (key: string, value: number | null) => driver.pipeInput('rates', { key, value });
  const priceTo = async (town: string) => {
    await driver.pipeInput<string, Parcel>('parcels', { key: 'parcel', value: { country: 'DK', town, kilos: 2 } });
    return driver.readOutput('priced-parcels', pricedParcels)?.value.priceCents;
  };

  const prices = [await priceTo('Aarhus')];
  await rate('*', 900);
  prices.push(await priceTo('Aarhus'));
  await rate('DK', 300);
  prices.push(await priceTo('Aarhus'));
  await rate('DK/Aarhus', 250);
  prices.push(await priceTo('Aarhus'), await priceTo('Odense'));
  await rate('DK/Aarhus', null);
  prices.push(await priceTo('Aarhus'));

  expect(prices).toEqual([null, 1_800, 600, 500, 600, 600]);
  await driver.close();
});

it('keeps the rates in a global store, without topics of its own', () => {
  const { topology } = parcelPrices;

  expect([...topology.globalStores.keys()]).toEqual(['rates']);
  expect(topology.changelogs.size + topology.repartitionTopics.size).toBe(0);
});
