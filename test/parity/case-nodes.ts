/** What all operators of cases are built with: the case's words, what was made so far, and its options. */
import {
  type CogroupedKStream,
  type EmitStrategy,
  type GlobalKTable,
  type KGroupedStream,
  type KGroupedTable,
  type KStream,
  type KTable,
  long,
  type Serde,
  type SessionWindowedCogroupedKStream,
  type SessionWindowedKStream,
  StreamsBuilder,
  string,
  type TimeWindowedCogroupedKStream,
  type TimeWindowedKStream,
} from '../../lib/index.js';
import { type CaseType, type FunctionRef, mappedType, mapper } from './case-functions.js';
import type { ProcessorRef } from './case-processors.js';

export interface CaseNode {
  readonly op: string;
  readonly id?: string;
  readonly in?: string;
  readonly left?: string;
  readonly right?: string;
  readonly name?: string;
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly topicByFirstChar?: Readonly<Record<string, string>>;
  readonly timestampExtractor?: string;
  readonly store?: string;
  readonly versionedMs?: number;
  readonly inMemory?: boolean;
  readonly loggingDisabled?: boolean;
  readonly retentionMs?: number;
  readonly key?: CaseType;
  readonly value?: CaseType;
  readonly fn?: FunctionRef;
  readonly keyFn?: FunctionRef;
  readonly valueFn?: FunctionRef;
  readonly pred?: FunctionRef;
  readonly joiner?: FunctionRef;
  readonly graceMs?: number;
  readonly foreignKey?: FunctionRef;
  readonly timeDifferenceMs?: number;
  readonly beforeMs?: number;
  readonly afterMs?: number;
  readonly storeName?: string;
  readonly until?: string;
  readonly timeLimitMs?: number;
  readonly buffer?: {
    readonly maxRecords?: number;
    readonly maxBytes?: number;
    readonly whenFull?: 'emitEarly' | 'shutDown';
  };
  readonly subtractor?: FunctionRef;
  readonly init?: string | number;
  readonly merger?: FunctionRef;
  readonly window?: CaseWindow;
  readonly emit?: EmitStrategy;
  readonly groups?: readonly { readonly in: string; readonly fn: FunctionRef }[];
  readonly partitions?: number;
  readonly processor?: string | ProcessorRef;
  readonly stores?: readonly string[];
  readonly branches?: readonly { readonly pred: FunctionRef; readonly name?: string }[];
  readonly default?: string;
}

/** What `windowedBy` is given. */
export interface CaseWindow {
  readonly type: string;
  readonly sizeMs?: number;
  readonly advanceMs?: number;
  readonly graceMs?: number;
  readonly timeDifferenceMs?: number;
  readonly gapMs?: number;
  readonly startMs?: number;
}

export type Value = string | number | null;
export interface Types {
  readonly key: CaseType;
  readonly value: CaseType;
}
/** What an operator gave, with its types in the case's words. */
export type Made = Types &
  (
    | { readonly kind: 'stream'; readonly of: KStream<Value, Value> }
    | { readonly kind: 'table'; readonly of: KTable<Value, Value> }
    | { readonly kind: 'globalTable'; readonly of: GlobalKTable<Value, Value> }
    | { readonly kind: 'groupedStream'; readonly of: KGroupedStream<Value, Value> }
    | { readonly kind: 'groupedTable'; readonly of: KGroupedTable<Value, Value> }
    | { readonly kind: 'timeWindowed'; readonly of: TimeWindowedKStream<Value, Value> }
    | { readonly kind: 'sessionWindowed'; readonly of: SessionWindowedKStream<Value, Value> }
    | { readonly kind: 'cogrouped'; readonly of: CogroupedKStream<Value, Value> }
    | { readonly kind: 'timeWindowedCogroup'; readonly of: TimeWindowedCogroupedKStream<Value, Value> }
    | { readonly kind: 'sessionWindowedCogroup'; readonly of: SessionWindowedCogroupedKStream<Value, Value> }
  );
export type Kind = Made['kind'];
export type Of<T extends Kind> = Extract<Made, { readonly kind: T }>;

export class NodesBuild {
  readonly builder = new StreamsBuilder();
  private readonly made = new Map<string, Made>();

  keep(id: string, made: Made): void {
    this.made.set(id, made);
  }

  input(id: string | undefined): Made {
    const made = this.made.get(id ?? '');
    if (made === undefined) throw new Error(`the case refers to ${id}, which it does not have`);
    return made;
  }

  kind<T extends Kind>(node: CaseNode, id: string | undefined, kind: T): Of<T> {
    const made = this.input(id);
    if (made.kind !== kind) throw new Error(`missing operator: ${node.op} of a ${made.kind}`);
    return made as Of<T>;
  }
}

export type Operator = (build: NodesBuild, node: CaseNode) => Made | undefined;
export type StreamOperator = (input: Of<'stream'>, node: CaseNode) => Made | undefined;
export type TableOperator = (input: Of<'table'>, node: CaseNode) => Made;

export const ofStream =
  (operator: StreamOperator): Operator =>
  (build, node) =>
    operator(build.kind(node, node.in, 'stream'), node);

/** An operator that streams and tables have. */
export const ofBoth =
  (stream: StreamOperator, table: TableOperator): Operator =>
  (build, node) => {
    const input = build.input(node.in);
    return input.kind === 'table' ? table(input, node) : stream(build.kind(node, node.in, 'stream'), node);
  };

export function mapped(
  ref: FunctionRef = '',
  types: Types,
): { readonly map: ReturnType<typeof mapper>; readonly type: CaseType } {
  return { map: mapper(ref), type: mappedType(ref, types.key, types.value) };
}

export function named({ name }: CaseNode): { readonly name?: string } {
  return name === undefined ? {} : { name };
}

export function stored({ store, inMemory, loggingDisabled }: CaseNode) {
  return {
    ...(store === undefined ? {} : { store }),
    ...(inMemory === undefined ? {} : { inMemory }),
    ...(loggingDisabled === undefined ? {} : { logged: !loggingDisabled }),
  };
}

/** The cases were recorded with a Materialized for each aggregation, named or not; `inMemory` says so here. */
export function aggregated(node: CaseNode) {
  return { ...named(node), inMemory: false, ...stored(node) };
}

export function typesOf({ key = 'string', value = 'string' }: CaseNode): Types {
  return { key, value };
}

export function serdes({ key, value }: Types): { readonly key: Serde<Value>; readonly value: Serde<Value> } {
  return { key: serde(key), value: serde(value) };
}

export function serde(type: CaseType): Serde<Value> {
  return (type === 'long' ? long() : string()) as Serde<Value>;
}
