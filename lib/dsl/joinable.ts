/** What an operator is given as the other side of a join, found again from the object that the user holds. */
import { TopologyError } from '../model/errors.js';
import { kindOfValue } from '../model/kind-of-value.js';
import type { GlobalTableParts } from './global-ktable.js';
import type { StreamsGraph } from './streams-graph.js';
import type { StreamParts, TableParts } from './wiring.js';

/** Each kind of thing that can be joined with, and what it is made of. */
interface JoinableParts {
  readonly stream: StreamParts<unknown, unknown>;
  readonly table: TableParts<unknown, unknown>;
  readonly globalTable: GlobalTableParts<unknown, unknown>;
}

/** One thing that can be joined with. */
export type Joinable = {
  readonly [Kind in keyof JoinableParts]: {
    readonly kind: Kind;
    readonly graph: StreamsGraph;
    readonly parts: JoinableParts[Kind];
  };
}[keyof JoinableParts];

const known = new WeakMap<object, Joinable>();

/** Notes what an object is made of, once, when it is made. */
export function joinable<T extends object>(of: T, made: Joinable): T {
  known.set(of, made);
  return of;
}

/** @throws {TopologyError} STREAMS_INVALID_TOPOLOGY for what cannot be joined with, or belongs to another builder */
export function otherSide(of: unknown, graph: StreamsGraph, operator: string): Joinable {
  const found = typeof of === 'object' && of !== null ? known.get(of) : undefined;
  if (found === undefined) {
    throw new TopologyError(`${operator} needs a stream or a table as its other side, not ${kindOfValue(of)}`, {
      details: { operator },
    });
  }
  if (found.graph === graph) return found;
  throw new TopologyError(`${operator}: the other ${found.kind} belongs to another builder`, {
    details: { operator },
    remedy: 'Make both sides with one StreamsBuilder.',
  });
}
