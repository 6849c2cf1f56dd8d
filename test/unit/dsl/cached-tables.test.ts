import { describe, expect, it } from 'vitest';
import {
  defineApp,
  type Processor,
  type ProcessorContext,
  type StreamRecord,
  StreamsBuilder,
  session,
  sliding,
  string,
  tumbling,
  untilTimeLimit,
} from '../../../lib/index.js';
import { TopologyTestDriver } from '../../../lib/testing/topology-test-driver.js';

const text = { key: string(), value: string() };

/** Keeps where each record came from, with its timestamp and the keys of its headers. */
const noting = (seen: string[]) => () => {
  let context: ProcessorContext<never, never>;
  const noted: Processor<unknown, unknown, never, never> = {
    init(given) {
      context = given;
    },
    process({ timestampMs, headers }: StreamRecord<unknown, unknown>) {
      const at = context.recordMetadata();
      const from = at === undefined ? 'nowhere' : `${at.topic}-${at.partition}/${at.offset}`;
      seen.push([`${from}@${timestampMs}`, ...headers.map(({ key }) => key)].join(' '));
    },
  };
  return noted;
};

const builders: Readonly<Record<string, (builder: StreamsBuilder, seen: string[]) => void>> = {
  'a table': (builder, seen) => {
    builder
      .table('in', { ...text, store: 'rows' })
      .toStream()
      .process(noting(seen));
  },
  'a kept step of a table': (builder, seen) => {
    const table = builder.table('in', { ...text, store: 'rows' });
    table
      .mapValues((value) => value, { store: 'mapped', value: string() })
      .toStream()
      .process(noting(seen));
  },
  'a count': (builder, seen) => {
    builder.stream('in', text).groupByKey().count({ store: 'counts' }).toStream().process(noting(seen));
  },
  'a count in windows': (builder, seen) => {
    const grouped = builder.stream('in', text).groupByKey();
    grouped
      .windowedBy(tumbling({ size: 100, grace: 0 }))
      .count()
      .toStream()
      .process(noting(seen));
  },
  'a count in sliding windows': (builder, seen) => {
    const grouped = builder.stream('in', text).groupByKey();
    grouped
      .windowedBy(sliding({ timeDifference: 5, grace: 0 }))
      .count()
      .toStream()
      .process(noting(seen));
  },
  'a count in sessions': (builder, seen) => {
    const grouped = builder.stream('in', text).groupByKey();
    grouped
      .windowedBy(session({ inactivityGap: 5, grace: 0 }))
      .count()
      .toStream()
      .process(noting(seen));
  },
  'a suppression behind a cached count': (builder, seen) => {
    const counts = builder.stream('in', text).groupByKey().count({ store: 'counts' });
    counts.suppress(untilTimeLimit(0)).toStream().process(noting(seen));
  },
};

/** What is noted of two records, the second of which has a header. */
async function noted(what: string, statestoreCacheMaxBytes: number): Promise<readonly string[]> {
  const builder = new StreamsBuilder();
  const seen: string[] = [];
  builders[what]?.(builder, seen);
  const app = defineApp({ applicationId: 'app', topology: builder.build(), settings: { statestoreCacheMaxBytes } });
  const driver = await TopologyTestDriver.start(app);
  const headers = [{ key: 'h', value: Buffer.from('1') }];
  await driver.pipeInput('in', { key: 'a', value: '1', timestampMs: 10 });
  await driver.pipeInput('in', { key: 'b', value: '2', timestampMs: 20, headers });
  await driver.close();
  return seen;
}

describe('behind a cache', () => {
  it.each(Object.keys(builders))('%s says which record brought its updates, with its headers', async (what) => {
    expect(await noted(what, 1_000_000)).toEqual(['in-0/0@10', 'in-0/1@20 h']);
  });
});

describe('without a cache', () => {
  it.each(Object.keys(builders))('%s says so too, a session without headers', async (what) => {
    const second = what === 'a count in sessions' ? 'in-0/1@20' : 'in-0/1@20 h';

    expect(await noted(what, 0)).toEqual(['in-0/0@10', second]);
  });
});
