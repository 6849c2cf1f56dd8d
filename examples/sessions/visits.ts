/** Visits to a web shop: what a visitor does with no pause of more than half an hour, and what it comes to. */
import { defineApp, json, StreamsBuilder, session, sessionWindowedSerde, string } from '../../lib/index.js';

export interface Click {
  readonly page: string;
  readonly spentCents: number;
}

export interface Visit {
  readonly clicks: number;
  readonly spentCents: number;
}

export const clicks = { key: string(), value: json<Click>() };
/** By visitor and time. A visit that turns out to be part of a longer one is deleted: its value becomes null. */
export const visits = { key: sessionWindowedSerde(string()), value: json<Visit>() };

const builder = new StreamsBuilder();

builder
  .stream('clicks', clicks)
  .groupByKey()
  .windowedBy(session({ inactivityGap: '30m', grace: '5m' }))
  .aggregate({
    init: () => ({ clicks: 0, spentCents: 0 }),
    add: (_, click, visit) => sumOf(visit, { clicks: 1, spentCents: click.spentCents }),
    merge: (_, visit, other) => sumOf(visit, other),
    value: visits.value,
    store: 'visits',
  })
  .toStream()
  .to('visits');

function sumOf(a: Visit, b: Visit): Visit {
  return { clicks: a.clicks + b.clicks, spentCents: a.spentCents + b.spentCents };
}

export default defineApp({ applicationId: 'shop-visits', topology: builder.build() });
