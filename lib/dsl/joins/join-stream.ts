/** Joins of a stream, each kind of other side in a file of its own. */
import { TopologyError } from '../../model/errors.js';
import type { Serde } from '../../serde/serde.js';
import { expectOptions } from '../../topology/expect-options.js';
import { type Joinable, otherSide } from '../joinable.js';
import { STREAM_JOINS } from '../operator-options.js';
import type { KStream } from '../streams.js';
import type { StreamParts, TableParts, Wiring } from '../wiring.js';
import { type AnyJoin, type JoinKind, operatorOf } from './join-options.js';
import { joinStreamWithGlobalTable } from './stream-global-table.js';
import { joinStreams } from './stream-stream.js';
import type { StreamJoinOptions } from './stream-stream-options.js';
import { joinStreamWithTable } from './stream-table.js';

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY if there is no such join, or its joiner is no function */
export function joinStream<K, V>(
  wiring: Wiring,
  parts: StreamParts<K, V>,
  join: {
    readonly kind: JoinKind;
    readonly other: unknown;
    readonly options: AnyJoin & Partial<StreamJoinOptions> & { readonly value?: Serde<unknown> };
  },
): KStream<K, never> {
  const { kind, options } = join;
  const operator = operatorOf(kind);
  const other = otherSide(join.other, wiring.graph, operator);
  const isThere = kind !== 'outer' || other.kind === 'stream';
  if (isThere && options !== undefined)
    expectOptions(operator, options, STREAM_JOINS[other.kind], `${WITH[other.kind]} `);
  if (other.kind === 'table' && kind !== 'outer') {
    return joinStreamWithTable(wiring, parts, other.parts as TableParts<K, unknown>, kind, options) as KStream<
      K,
      never
    >;
  }
  if (other.kind === 'globalTable' && kind !== 'outer') {
    return joinStreamWithGlobalTable(wiring, parts, other.parts, kind, options) as KStream<K, never>;
  }
  if (other.kind === 'stream') {
    const streams = { left: parts, right: other.parts as StreamParts<K, unknown> };
    return joinStreams(wiring, streams, kind, options) as KStream<K, never>;
  }
  throw new TopologyError(`${operator}: a stream cannot be joined so with a ${other.kind}`, { details: { operator } });
}

const WITH: Readonly<Record<Joinable['kind'], string>> = {
  stream: 'with a stream',
  table: 'with a table',
  globalTable: 'with a global table',
};
