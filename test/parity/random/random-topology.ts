/** Random topologies of the DSL for cases: operators that fit by type, one after the other, and a sink for each end. */

import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { CaseStore, CaseTopology } from '../build-topology.js';
import type { CaseType, FunctionRef } from '../case-functions.js';
import type { CaseNode } from '../case-nodes.js';
import type { InputTopic } from './random-inputs.js';
import { randomWindow } from './random-window.js';

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
}

/** Operators between sources and sinks, at most. */
const MAX_STEPS = 7;

export class RandomTopology {
  readonly inputs: InputTopic[] = [];
  private readonly nodes: CaseNode[] = [];
  private readonly stores: CaseStore[] = [];
  private readonly pieces: Piece[] = [];
  private readonly used = new Set<string>();
  private readonly choice: Chance;
  private count = 0;

  constructor(choice: Chance) {
    this.choice = choice;
  }

  make(): CaseTopology {
    const { choice } = this;
    const steps = choice.between(1, MAX_STEPS);
    this.source();
    if (choice.happens(0.6)) this.source();
    if (choice.happens(0.2)) this.source();
    for (let step = 0; step < steps; step += 1) this.step();
    for (const piece of [...this.pieces]) this.finish(piece);
    return { ...(this.stores.length === 0 ? {} : { stores: this.stores }), nodes: this.nodes };
  }

  private source(): void {
    const { choice } = this;
    const op = choice.pick(['stream', 'stream', 'stream', 'table', 'table', 'globalTable']);
    const value: CaseType = choice.happens(0.2) ? 'long' : 'string';
    const topic = `in${this.inputs.length + 1}`;
    const typed = value === 'long' ? { value } : {};
    this.inputs.push({ topic, value });
    if (op === 'stream') {
      this.add({ op, topic, ...typed, ...this.maybeNamed() }, { kind: 'stream', value });
      return;
    }
    if (op === 'globalTable') {
      this.add({ op, topic, ...typed, store: `g${this.count}` }, { kind: 'globalTable', value });
      return;
    }
    if (choice.happens(0.2)) {
      const versionedMs = choice.pick([0, 50, 200, 1_000, 100_000]);
      this.add(
        { op, topic, ...typed, store: `v${this.count}`, versionedMs },
        { kind: 'table', value, versioned: true },
      );
      return;
    }
    this.add({ op, topic, ...typed, ...this.maybeNamed(), ...this.kept() }, { kind: 'table', value });
  }

  private step(): void {
    const piece = this.choice.pick(this.pieces);
    if (piece.kind === 'stream') this.ofStream(piece);
    else if (piece.kind === 'table') this.ofTable(piece);
    else if (piece.kind === 'globalTable') this.joinOf('globalTable', piece);
    else this.ofGroup(piece);
  }

  private ofStream(input: Piece): void {
    const { choice } = this;
    if (input.windowedKey) {
      this.unwindow(input);
      return;
    }
    const makers: (() => void)[] = [
      () => this.stateless(input),
      () => this.stateless(input),
      () => this.rekeyed(input),
      () => this.merge(input),
      () => this.split(input),
      () => this.group(input),
      () => this.group(input),
      () => this.group(input),
      () =>
        this.add({ op: 'toTable', in: input.id, ...this.maybeNamed(), ...this.kept() }, { ...input, kind: 'table' }),
      () => this.add({ op: 'repartition', in: input.id, ...this.maybeNamed() }, input),
      () => this.joinOf('stream', input),
      () => this.joinOf('stream', input),
      () => this.joinOf('table', input),
      () => this.joinOf('globalTable', input),
      () => this.process(input),
    ];
    choice.pick(makers)();
  }

  private stateless(input: Piece): void {
    const { choice } = this;
    const op = choice.pick(['filter', 'filterNot', 'mapValues', 'mapValues', 'flatMapValues', 'peek']);
    if (op === 'filter' || op === 'filterNot')
      this.add({ op, in: input.id, pred: this.predicate(input.value), ...this.maybeNamed() }, input);
    else if (op === 'mapValues') this.mapValues(input, {});
    else if (op === 'flatMapValues' && input.value === 'string')
      this.add({ op, in: input.id, ...this.maybeNamed() }, input);
    else this.add({ op: 'peek', in: input.id, ...this.maybeNamed() }, input);
  }

  private mapValues(input: Piece, options: Partial<CaseNode>): void {
    const { fn, value } = this.valueMapper(input);
    this.add({ op: 'mapValues', in: input.id, fn, ...this.maybeNamed(), ...options }, { ...input, value });
  }

  private rekeyed(input: Piece): void {
    const { choice } = this;
    if (choice.happens(0.5)) {
      this.add({ op: 'selectKey', in: input.id, fn: this.keyMapper(input), ...this.maybeNamed() }, input);
      return;
    }
    if (choice.happens(0.3) && input.value === 'string') {
      this.add({ op: 'flatMap', in: input.id, fn: 'wordsAsKeys', ...this.maybeNamed() }, input);
      return;
    }
    const { fn, value } = this.valueMapper(input);
    const node = { op: 'map', in: input.id, keyFn: this.keyMapper(input), valueFn: fn, ...this.maybeNamed() };
    this.add(node, { ...input, value });
  }

  private merge(input: Piece): void {
    const others = this.pieces.filter(
      (piece) => piece.kind === 'stream' && !piece.windowedKey && piece.value === input.value,
    );
    const right = this.choice.pick(others);
    if (right.id === input.id) return;
    this.used.add(right.id);
    this.add({ op: 'merge', left: input.id, right: right.id, ...this.maybeNamed() }, input);
  }

  private split(input: Piece): void {
    const id = `n${this.count}`;
    this.count += 1;
    this.used.add(input.id);
    const branches = [{ pred: this.predicate(input.value), name: 'p' }, { pred: this.predicate(input.value) }];
    const fallback = this.choice.happens(0.5) ? { default: 'd' } : {};
    this.nodes.push({ op: 'split', id, in: input.id, name: `${id}-`, branches, ...fallback });
    for (const branch of ['p', '2', ...(fallback.default === undefined ? [] : ['d'])])
      this.pieces.push({ ...input, id: `${id}.${id}-${branch}` });
  }

  private group(input: Piece): void {
    const { choice } = this;
    const byKey = choice.happens(0.5);
    const node = byKey ? { op: 'groupByKey' } : { op: 'groupBy', fn: this.keyMapper(input) };
    const grouped = this.add({ ...node, in: input.id, ...this.maybeNamed() }, { ...input, kind: 'groupedStream' });
    if (choice.happens(0.25)) this.cogroup(grouped);
    else if (choice.happens(0.7)) this.windowedBy(grouped);
    else this.aggregate(grouped);
  }

  private cogroup(first: Piece): void {
    const others = this.pieces.filter(({ kind, id }) => kind === 'groupedStream' && id !== first.id);
    const inputs = others.length === 0 || this.choice.happens(0.3) ? [first] : [first, this.choice.pick(others)];
    const groups = inputs.map(({ id }, index) => ({ in: id, fn: { fn: 'concatTag', arg: 'LR'.charAt(index) } }));
    for (const { id } of inputs) this.used.add(id);
    const made = this.add({ op: 'cogroup', groups }, { ...first, kind: 'cogrouped', value: 'string' });
    if (this.choice.happens(0.5)) this.aggregate(made);
    else this.windowedBy(made);
  }

  private windowedBy(input: Piece): void {
    const { window, session } = randomWindow(this.choice);
    // Cogrouped streams have no strategy of emission.
    const final = input.kind === 'groupedStream' && window.type !== 'unlimited' && this.choice.happens(0.3);
    const made = this.add(
      { op: 'windowedBy', in: input.id, window, ...(final ? { emit: 'onWindowClose' as const } : {}) },
      { ...input, kind: input.kind === 'cogrouped' ? 'windowedCogroup' : 'windowed', windowedKey: true, session },
    );
    // Where stream time jumps past the retention Kafka Streams loses final results: such cases are not to be equalled.
    const retention = final ? { retentionMs: 1_000_000 } : this.choice.happens(0.15) ? { retentionMs: 3_000 } : {};
    this.aggregate(made, window.type === 'unlimited' ? {} : retention);
  }

  private aggregate(input: Piece, options: Partial<CaseNode> = {}): void {
    const { choice } = this;
    const kept = { ...this.kept(), ...this.maybeNamed(), ...options };
    const out = { ...input, kind: 'table' } as const;
    const isCogroup = input.kind === 'cogrouped' || input.kind === 'windowedCogroup';
    const op = isCogroup ? 'aggregate' : choice.pick(['count', 'reduce', 'aggregate']);
    const isTable = input.kind === 'groupedTable';
    if (op === 'count') this.add({ op, in: input.id, ...kept }, { ...out, value: 'long' });
    else if (op === 'reduce') {
      const [fn, subtractor] = input.value === 'long' ? ['sum', 'subtract'] : [this.reducer(), 'concatMinus'];
      this.add({ op, in: input.id, fn, ...(isTable ? { subtractor } : {}), ...kept }, out);
    } else if (isCogroup)
      this.add({ op, in: input.id, init: '', ...this.merged(input, 'concat'), ...kept }, { ...out, value: 'string' });
    else if (choice.happens(0.3) && !(isTable && input.value === 'string')) {
      const fn = input.value === 'long' ? 'sum' : 'sumLength';
      const node = { op, in: input.id, init: 0, fn, ...(isTable ? { subtractor: 'subtract' } : {}) };
      this.add({ ...node, ...this.merged(input, 'sum'), ...kept }, { ...out, value: 'long' });
    } else {
      const node = {
        op,
        in: input.id,
        init: '0',
        fn: this.reducer(),
        ...(isTable ? { subtractor: 'concatMinus' } : {}),
      };
      this.add({ ...node, ...this.merged(input, 'concat'), ...kept }, { ...out, value: 'string' });
    }
  }

  private merged(input: Piece, merger: string): Partial<CaseNode> {
    return input.session === true ? { merger } : {};
  }

  private ofGroup(input: Piece): void {
    if (input.kind === 'windowed' || input.kind === 'windowedCogroup') return;
    this.aggregate(input);
  }

  private ofTable(input: Piece): void {
    const { choice } = this;
    const makers: (() => void)[] = [
      () =>
        this.add(
          {
            op: choice.pick(['filter', 'filterNot']),
            in: input.id,
            pred: this.predicate(input.value),
            ...this.maybeNamed(),
            ...this.maybeStored(),
          },
          input,
        ),
      () => this.mapValues(input, this.maybeStored()),
      () => this.toStream(input),
      () => this.suppress(input),
      () => this.tableGroup(input),
      () => this.joinOf('table', input),
      () => this.joinOf('table', input),
    ];
    choice.pick(makers)();
  }

  private toStream(input: Piece): void {
    const made = this.add({ op: 'toStream', in: input.id, ...this.maybeNamed() }, { ...input, kind: 'stream' });
    if (made.windowedKey && this.choice.happens(0.5)) this.unwindow(made);
  }

  private unwindow(input: Piece): void {
    const keyFn = this.choice.pick(['unwindowKey', 'windowedKeyToString']);
    this.add(
      { op: 'map', in: input.id, keyFn, valueFn: 'value', ...this.maybeNamed() },
      { ...input, windowedKey: false, session: false },
    );
  }

  private suppress(input: Piece): void {
    const { choice } = this;
    const named = this.maybeNamed();
    const unlogged = choice.happens(0.1) ? { loggingDisabled: true } : {};
    if (input.windowedKey && choice.happens(0.6)) {
      const buffer = choice.happens(0.2) ? { buffer: { maxRecords: 4, whenFull: 'shutDown' as const } } : {};
      this.add({ op: 'suppress', in: input.id, until: 'windowCloses', ...buffer, ...named, ...unlogged }, input);
      return;
    }
    const limits = [{}, { maxRecords: 1 }, { maxRecords: 3 }, { maxBytes: 120 }, { maxBytes: 400, maxRecords: 5 }];
    const limit = choice.pick(limits);
    const buffer = Object.keys(limit).length === 0 ? {} : { buffer: { ...limit, whenFull: 'emitEarly' as const } };
    const timeLimitMs = choice.pick([0, 1, 20, 60, 200, 1_000]);
    this.add(
      { op: 'suppress', in: input.id, until: 'timeLimit', timeLimitMs, ...buffer, ...named, ...unlogged },
      input,
    );
  }

  private tableGroup(input: Piece): void {
    const { fn, value } = this.valueMapper(input);
    const keyFn = input.windowedKey ? this.choice.pick(['unwindowKey', 'windowedKeyToString']) : this.keyMapper(input);
    const out = { ...input, kind: 'groupedTable', value, windowedKey: false, session: false } as const;
    this.aggregate(this.add({ op: 'groupBy', in: input.id, keyFn, valueFn: fn, ...this.maybeNamed() }, out));
  }

  private joinOf(kind: 'stream' | 'table' | 'globalTable', one: Piece): void {
    const { choice } = this;
    if (one.kind === 'globalTable') {
      const streams = this.pieces.filter((piece) => piece.kind === 'stream' && !piece.windowedKey);
      if (streams.length > 0) this.globalJoin(choice.pick(streams), one);
      return;
    }
    if (one.windowedKey) return;
    const others = this.pieces.filter((piece) => piece.kind === kind && !piece.windowedKey);
    if (others.length === 0) return;
    const other = choice.pick(others);
    if (kind === 'globalTable') this.globalJoin(one, other);
    else if (one.kind === 'table') this.tableJoin(one, other);
    else if (kind === 'table') this.streamTableJoin(one, other);
    else this.streamJoin(one, other);
  }

  private globalJoin(left: Piece, right: Piece): void {
    this.used.add(right.id);
    const op = this.choice.pick(['join', 'leftJoin']);
    const keyFn = left.value === 'string' ? this.choice.pick<FunctionRef>([field(0), 'key', 'firstChar']) : 'key';
    this.add(
      { op, left: left.id, right: right.id, keyFn, ...this.joiner(), ...this.maybeNamed() },
      { ...left, value: 'string' },
    );
  }

  private streamTableJoin(left: Piece, right: Piece): void {
    const op = this.choice.pick(['join', 'leftJoin']);
    const grace =
      right.versioned === true && this.choice.happens(0.5) ? { graceMs: this.choice.pick([0, 10, 40]) } : {};
    this.used.add(right.id);
    this.add(
      { op, left: left.id, right: right.id, ...this.joiner(), ...grace, ...this.maybeNamed() },
      { ...left, value: 'string' },
    );
  }

  private tableJoin(left: Piece, right: Piece): void {
    const { choice } = this;
    const plain = left.id === right.id;
    const foreign = !plain && left.value === 'string' && choice.happens(0.4);
    const op = choice.pick(foreign ? ['join', 'leftJoin'] : ['join', 'leftJoin', 'outerJoin']);
    const joiner = this.joiner().joiner === 'concatWithKey' ? {} : this.joiner();
    this.used.add(right.id);
    this.add(
      {
        op,
        left: left.id,
        right: right.id,
        ...(foreign ? { foreignKey: choice.pick<FunctionRef>([field(0), field(0), 'firstChar']) } : {}),
        ...(joiner.joiner === 'concatWithKey' ? {} : joiner),
        ...this.maybeNamed(),
        ...this.maybeStored(),
      },
      { ...left, value: 'string', versioned: false },
    );
  }

  private streamJoin(left: Piece, right: Piece): void {
    const { choice } = this;
    const op = choice.pick(['join', 'leftJoin', 'outerJoin']);
    // Kafka Streams cannot list a window store whose windows have no length.
    const timeDifferenceMs = choice.pick([5, 20, 60, 200]);
    const oneSided = choice.pick([{}, {}, {}, { beforeMs: 0 }, { afterMs: 0 }, { beforeMs: 10, afterMs: 30 }]);
    const inMemory = choice.happens(0.3) ? { inMemory: true } : {};
    const storeName = choice.happens(0.2) ? { storeName: `js${this.count}` } : {};
    const unlogged = choice.happens(0.1) ? { loggingDisabled: true } : {};
    this.used.add(right.id);
    this.add(
      {
        op,
        left: left.id,
        right: right.id,
        timeDifferenceMs,
        ...oneSided,
        graceMs: choice.pick([0, 0, 10, 50, 300]),
        ...this.joiner(),
        ...inMemory,
        ...storeName,
        ...unlogged,
        ...this.maybeNamed(),
      },
      { ...left, value: 'string' },
    );
  }

  private process(input: Piece): void {
    if (input.value !== 'string') return;
    const { choice } = this;
    const kind = choice.pick([
      'dupForward',
      'shiftTimestamp',
      'punctuate',
      'flushOnPunctuate',
      'storeCounter',
      'running',
      'dedup',
      'sessionAppend',
      'tsKvPut',
    ]);
    const clock = choice.pick(['stream', 'wall'] as const);
    const store = `st${this.count}`;
    const interval = { clock, intervalMs: choice.pick([10, 50, 200]) };
    const base = { op: 'process', in: input.id, ...this.maybeNamed() };
    const withStore = (processor: CaseNode['processor'], spec: Omit<CaseStore, 'name'>) => {
      this.stores.push({ name: store, ...spec });
      return { ...base, processor: processor ?? '', stores: [store] };
    };
    switch (kind) {
      case 'shiftTimestamp':
        this.add({ ...base, processor: { type: kind, byMs: choice.pick([1, 100]) } }, input);
        return;
      case 'punctuate':
        this.add(
          { ...base, processor: { type: kind, ...interval, ...(choice.happens(0.3) ? { cancelAfter: 2 } : {}) } },
          input,
        );
        return;
      case 'flushOnPunctuate':
        this.add(withStore({ type: kind, ...interval }, { type: 'keyValue' }), input);
        return;
      case 'storeCounter':
        this.add(withStore(kind, { type: 'keyValue', value: 'long' }), { ...input, value: 'long' });
        return;
      case 'running':
        this.add({ ...withStore(kind, { type: 'keyValue' }), op: 'processValues' }, input);
        return;
      case 'dedup':
        this.add(
          withStore(
            { type: kind, windowMs: 60 },
            { type: 'window', retentionMs: 2_000, windowMs: 60, inMemory: choice.happens(0.5) },
          ),
          input,
        );
        return;
      case 'sessionAppend':
        this.add(
          withStore({ type: kind, gapMs: 30 }, { type: 'session', retentionMs: 2_000, inMemory: choice.happens(0.5) }),
          input,
        );
        return;
      case 'tsKvPut':
        this.add(withStore(kind, { type: 'timestampedKeyValue' }), input);
        return;
      default:
        this.add({ ...base, processor: kind }, input);
    }
  }

  private finish(piece: Piece): void {
    if (this.used.has(piece.id) && this.choice.happens(0.7)) return;
    if (piece.kind === 'table') {
      const stream = this.add({ op: 'toStream', in: piece.id }, { ...piece, kind: 'stream' });
      this.finish(stream);
    } else if (piece.kind === 'stream') this.nodes.push({ op: 'to', in: piece.id, topic: `out${this.nodes.length}` });
  }

  private joiner(): { readonly joiner?: FunctionRef } {
    return this.choice.pick<{ readonly joiner?: FunctionRef }>([
      {},
      {},
      { joiner: 'concatWithKey' },
      { joiner: { fn: 'nullIfRight', arg: 'x' } },
    ]);
  }

  private reducer(): FunctionRef {
    return this.choice.pick<FunctionRef>(['concat', 'concat', { fn: 'nullIf', arg: 'x' }, 'last', 'first']);
  }

  private predicate(value: CaseType): FunctionRef {
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

  private valueMapper({ value }: Piece): { readonly fn: FunctionRef; readonly value: CaseType } {
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
    return this.choice.happens(0.12)
      ? { fn: 'length', value: 'long' }
      : { fn: this.choice.pick(texts), value: 'string' };
  }

  private keyMapper({ value, windowedKey }: Piece): FunctionRef {
    if (windowedKey) return 'unwindowKey';
    const any: FunctionRef[] = ['key', { fn: 'keyAppend', arg: '1' }, 'keyFirstChar', { fn: 'const', arg: 'all' }];
    return this.choice.pick(value === 'long' ? [...any, 'toString'] : [...any, 'firstChar', 'firstChar', field(0)]);
  }

  private maybeNamed(): { readonly name?: string } {
    return this.choice.happens(0.15) ? { name: `name${this.count}` } : {};
  }

  private maybeStored(): Partial<CaseNode> {
    return this.choice.happens(0.4)
      ? { store: `s${this.count}`, ...(this.choice.happens(0.2) ? { inMemory: true } : {}) }
      : {};
  }

  private kept(): Partial<CaseNode> {
    const { choice } = this;
    return {
      ...(choice.happens(0.6) ? { store: `s${this.count}` } : {}),
      ...(choice.happens(0.25) ? { inMemory: true } : {}),
      ...(choice.happens(0.1) ? { loggingDisabled: true } : {}),
    };
  }

  private add(node: CaseNode, made: Omit<Piece, 'id' | 'windowedKey'> & { readonly windowedKey?: boolean }): Piece {
    const id = `n${this.count}`;
    this.count += 1;
    for (const input of [node.in, node.left]) if (input !== undefined) this.used.add(input);
    const piece = { windowedKey: false, ...made, id };
    this.nodes.push({ ...node, id });
    this.pieces.push(piece);
    return piece;
  }
}

function field(index: number): FunctionRef {
  return { fn: 'field', arg: `${index}` };
}
