/** A random topology while it is made: its nodes so far, what can be built upon, and choices that all operators share. */
import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { CaseStore } from '../build-topology.js';
import type { CaseType, FunctionRef } from '../case-functions.js';
import type { CaseNode } from '../case-nodes.js';
import type { Commands } from './random-commands.js';
import type { InputTopic } from './random-inputs.js';

/** What an operator made, so far as the next one has to know it. */
export interface Piece {
  readonly id: string;
  readonly kind:
    | 'stream'
    | 'table'
    | 'groupedStream'
    | 'groupedTable'
    | 'windowed'
    | 'cogrouped'
    | 'windowedCogroup'
    | 'globalTable';
  readonly value: CaseType;
  readonly windowedKey: boolean;
  /** Windows of the key are sessions: their aggregations need a merger. */
  readonly session?: boolean;
  readonly versioned?: boolean;
  /** Its values are commands: for a processor alone. */
  readonly commands?: Commands;
  /** A table whose values were mapped and are not kept: Kafka Streams is not told their serde, and takes the default, for strings. */
  readonly mapped?: boolean;
}

/** Whether operators that keep a table's values by its own serde would fail at them in Kafka Streams. */
export function needsSerde({ kind, mapped = false, value }: Piece): boolean {
  return kind === 'table' && mapped && value !== 'string';
}

/** How topologies differ that are made to be run from those that are only looked at. */
export interface DraftTraits {
  /** How often an operator has a name, 0 to 1. */
  readonly named: number;
  /** How often a name is one that is there already. */
  readonly clashing: number;
  /** How often a source reads a topic that another one reads. */
  readonly sharedTopics: number;
  /** How often a repartition says how many partitions it wants. */
  readonly counted: number;
  /** Whether streams have processors: this library keeps them before a repartition topic that it merges, Kafka Streams does not. */
  readonly processed: boolean;
  /** Whether they run with caches. */
  readonly cached: boolean;
}

export const PLAIN: DraftTraits = {
  named: 0.15,
  clashing: 0,
  sharedTopics: 0,
  counted: 0,
  processed: true,
  cached: false,
};

export class TopologyDraft {
  readonly traits: DraftTraits;
  readonly inputs: InputTopic[] = [];
  readonly nodes: CaseNode[] = [];
  readonly stores: CaseStore[] = [];
  /** Those of the stores that are global. */
  readonly globals: string[] = [];
  readonly pieces: Piece[] = [];
  readonly used = new Set<string>();
  readonly choice: Chance;
  /** Operators so far; part of their names. */
  count = 0;

  constructor(choice: Chance, traits: DraftTraits = PLAIN) {
    this.choice = choice;
    this.traits = traits;
  }

  joiner(): { readonly joiner?: FunctionRef } {
    return this.choice.pick<{ readonly joiner?: FunctionRef }>([
      {},
      {},
      { joiner: 'concatWithKey' },
      { joiner: { fn: 'nullIfRight', arg: 'x' } },
    ]);
  }

  reducer(): FunctionRef {
    return this.choice.pick<FunctionRef>(['concat', 'concat', { fn: 'nullIf', arg: 'x' }, 'last', 'first']);
  }

  predicate(value: CaseType): FunctionRef {
    const any: FunctionRef[] = ['notNull', 'isNull', { fn: 'longer', arg: '1' }];
    const more: FunctionRef[] =
      value === 'long'
        ? ['even', { fn: 'gt', arg: '3' }]
        : [
            { fn: 'startsWith', arg: 'x' },
            { fn: 'contains', arg: '|' },
            { fn: 'contains', arg: 'y' },
          ];
    return this.choice.pick([...any, ...more]);
  }

  valueMapper({ value }: Piece): { readonly fn: FunctionRef; readonly value: CaseType } {
    if (value === 'long')
      return this.choice.pick([
        { fn: { fn: 'times', arg: '2' }, value: 'long' as CaseType },
        { fn: 'toString', value: 'string' as CaseType },
        { fn: 'value', value: 'long' as CaseType },
        { fn: { fn: 'nullIf', arg: 'none' }, value: 'long' as CaseType },
      ]);
    const texts: FunctionRef[] = [
      'upper',
      { fn: 'append', arg: '!' },
      { fn: 'prepend', arg: 'a' },
      { fn: 'nullIf', arg: 'x' },
      'value',
      'firstChar',
      field(1),
      'keyColonValue',
      { fn: 'const', arg: 'k' },
    ];
    if (this.choice.happens(0.02)) return { fn: { fn: 'throwIf', arg: 'zz' }, value: 'string' };
    return this.choice.happens(0.12)
      ? { fn: 'length', value: 'long' }
      : { fn: this.choice.pick(texts), value: 'string' };
  }

  keyMapper({ value, windowedKey }: Piece): FunctionRef {
    if (windowedKey) return 'unwindowKey';
    const any: FunctionRef[] = ['key', { fn: 'keyAppend', arg: '1' }, 'keyFirstChar', { fn: 'const', arg: 'all' }];
    return this.choice.pick(value === 'long' ? [...any, 'toString'] : [...any, 'firstChar', 'firstChar', field(0)]);
  }

  maybeNamed(): { readonly name?: string } {
    return this.choice.happens(this.traits.named) ? { name: `name${this.numberInName()}` } : {};
  }

  maybeStored(): Partial<CaseNode> {
    return this.choice.happens(0.4)
      ? { store: `s${this.numberInName()}`, ...(this.choice.happens(0.2) ? { inMemory: true } : {}) }
      : {};
  }

  kept(): Partial<CaseNode> {
    const { choice } = this;
    return {
      ...(choice.happens(0.6) ? { store: `s${this.numberInName()}` } : {}),
      ...(choice.happens(0.25) ? { inMemory: true } : {}),
      ...(choice.happens(0.1) ? { loggingDisabled: true } : {}),
    };
  }

  /** Of the operator that comes next; rarely of one before, whose names may be the same then. */
  private numberInName(): number {
    const { clashing } = this.traits;
    return clashing > 0 && this.choice.happens(clashing) ? this.choice.below(this.count + 1) : this.count;
  }

  add(node: CaseNode, made: Omit<Piece, 'id' | 'windowedKey'> & { readonly windowedKey?: boolean }): Piece {
    const id = `n${this.count}`;
    this.count += 1;
    for (const input of [node.in, node.left]) if (input !== undefined) this.used.add(input);
    const piece = { windowedKey: false, ...made, id };
    this.nodes.push({ ...node, id });
    this.pieces.push(piece);
    return piece;
  }
}

export function field(index: number): FunctionRef {
  return { fn: 'field', arg: `${index}` };
}
