/** What the tests of refusals are written with: streams and tables of one builder, and rows of what is refused. */
import { describe, expect, it } from 'vitest';
import { keyValueStore, type Processor, StreamsBuilder, string, tumbling } from '../../lib/index.js';
import { refusalOf } from './refusal-of.js';

const REFUSED = /^STREAMS_INVALID_(TOPOLOGY|SETTING): /;
export const text = { key: string(), value: string() };
/** What Java lets through, and JavaScript: TypeScript does not. */
export const none = null as never;
export const nothing = undefined as never;
export const name = 'mine';
export const mine = "'mine'";
export const kept = "'kept'";
export const first = (one: unknown) => one as string;
export const yes = () => true;
export const shared: Processor<string, string, string, string> = { process() {} };
export const store = (logged = true) => keyValueStore({ name: 'kept', ...text, logged });

export const builder = () => new StreamsBuilder();
export const stream = () => builder().stream('in', text);
export const table = () => builder().table('in', text);
export const grouped = () => stream().groupByKey();
export const groupedTable = () => table().groupBy((key, value) => [key, value]);
export const windowed = () => grouped().windowedBy(tumbling({ size: 5, grace: 5 }));
/** A stream beside what it is to be joined with, of one builder. */
const beside = <T>(other: (of: StreamsBuilder) => T) => {
  const of = builder();
  return { lines: of.stream('in', text), rows: of.table('rows-in', text), other: other(of) };
};
export const streams = () => beside((of) => of.stream('other', text));
export const tables = () => beside((of) => of.table('other', text));
export const globals = () => beside((of) => of.globalTable('other', text));
export const history = (historyRetention: number) =>
  beside((of) => of.table('other', { ...text, store: 'other-rows', historyRetention }));
/** Builds after the operators: some are refused only then, as in Kafka Streams. */
export const built = (write: (of: StreamsBuilder) => unknown) => {
  const of = builder();
  write(of);
  return of.build();
};
export const lined = (write: (lines: ReturnType<typeof stream>) => unknown) =>
  built((of) => write(of.stream('in', text)));

type Refusal = [what: string, named: readonly string[], build: () => unknown];

/** A test for each row: what is done is refused by an error of ours, which says all of `named`. */
export function refuses(what: string, refusals: readonly Refusal[]): void {
  describe(what, () => {
    it.each(refusals)('%s', (_, named, build) => {
      const refused = refusalOf(build);

      expect(refused).toMatch(REFUSED);
      for (const one of named) expect(refused).toContain(one);
    });
  });
}
