/** Random topologies of the DSL for cases: operators that fit by type, one after the other, and a sink for each end. */
import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { CaseTopology } from '../build-topology.js';
import type { CaseNode } from '../case-nodes.js';
import { aggregate, group, tableGroup } from './random-aggregations.js';
import type { InputTopic } from './random-inputs.js';
import { joinOf } from './random-joins.js';
import { process } from './random-processors.js';
import { anySource, plainSource } from './random-sources.js';
import { type DraftTraits, needsSerde, type Piece, TopologyDraft } from './topology-draft.js';

/** Operators between sources and sinks, at most. */
const MAX_STEPS = 7;

export class RandomTopology {
  private readonly draft: TopologyDraft;

  constructor(choice: Chance, traits?: DraftTraits) {
    this.draft = new TopologyDraft(choice, traits);
  }

  /** What the topology reads. */
  get inputs(): readonly InputTopic[] {
    return this.draft.inputs;
  }

  make(): CaseTopology {
    const { choice } = this.draft;
    const steps = choice.between(1, MAX_STEPS);
    plainSource(this.draft);
    if (choice.happens(0.6)) anySource(this.draft);
    if (choice.happens(0.2)) anySource(this.draft);
    for (let step = 0; step < steps; step += 1) this.step();
    for (const piece of [...this.draft.pieces]) this.finish(piece);
    return { ...(this.draft.stores.length === 0 ? {} : { stores: this.draft.stores }), nodes: this.draft.nodes };
  }

  private step(): void {
    const piece = this.draft.choice.pick(this.draft.pieces);
    if (piece.kind === 'stream') this.ofStream(piece);
    else if (piece.kind === 'table') this.ofTable(piece);
    else if (piece.kind === 'globalTable') joinOf(this.draft, 'globalTable', piece);
    else if (piece.kind === 'groupedStream' || piece.kind === 'groupedTable' || piece.kind === 'cogrouped')
      aggregate(this.draft, piece);
  }

  private ofStream(input: Piece): void {
    const { choice } = this.draft;
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
      () => group(this.draft, input),
      () => group(this.draft, input),
      () => group(this.draft, input),
      () =>
        this.draft.add(
          { op: 'toTable', in: input.id, ...this.draft.maybeNamed(), ...this.draft.kept() },
          { ...input, kind: 'table', mapped: false },
        ),
      () => this.repartition(input),
      () => joinOf(this.draft, 'stream', input),
      () => joinOf(this.draft, 'stream', input),
      () => joinOf(this.draft, 'table', input),
      () => joinOf(this.draft, 'globalTable', input),
      () => (this.draft.traits.processed ? process(this.draft, input) : this.stateless(input)),
    ];
    choice.pick(makers)();
  }

  private repartition(input: Piece): void {
    const { choice, traits } = this.draft;
    const counted = traits.counted > 0 && choice.happens(traits.counted);
    const partitions = counted ? { partitions: choice.between(1, 5) } : {};
    this.draft.add({ op: 'repartition', in: input.id, ...this.draft.maybeNamed(), ...partitions }, input);
  }

  private stateless(input: Piece): void {
    const { choice } = this.draft;
    const op = choice.pick(['filter', 'filterNot', 'mapValues', 'mapValues', 'flatMapValues', 'peek']);
    if (op === 'filter' || op === 'filterNot')
      this.draft.add({ op, in: input.id, pred: this.draft.predicate(input.value), ...this.draft.maybeNamed() }, input);
    else if (op === 'mapValues') this.mapValues(input, {});
    else if (op === 'flatMapValues' && input.value === 'string')
      this.draft.add({ op, in: input.id, ...this.draft.maybeNamed() }, input);
    else this.draft.add({ op: 'peek', in: input.id, ...this.draft.maybeNamed() }, input);
  }

  private mapValues(input: Piece, options: Partial<CaseNode>): void {
    const { fn, value } = this.draft.valueMapper(input);
    const mapped = options.store === undefined;
    this.draft.add(
      { op: 'mapValues', in: input.id, fn, ...this.draft.maybeNamed(), ...options },
      { ...input, value, mapped },
    );
  }

  private rekeyed(input: Piece): void {
    const { choice } = this.draft;
    if (choice.happens(0.5)) {
      this.draft.add(
        { op: 'selectKey', in: input.id, fn: this.draft.keyMapper(input), ...this.draft.maybeNamed() },
        input,
      );
      return;
    }
    if (choice.happens(0.3) && input.value === 'string') {
      this.draft.add({ op: 'flatMap', in: input.id, fn: 'wordsAsKeys', ...this.draft.maybeNamed() }, input);
      return;
    }
    const { fn, value } = this.draft.valueMapper(input);
    const node = {
      op: 'map',
      in: input.id,
      keyFn: this.draft.keyMapper(input),
      valueFn: fn,
      ...this.draft.maybeNamed(),
    };
    this.draft.add(node, { ...input, value });
  }

  private merge(input: Piece): void {
    const others = this.draft.pieces.filter(
      (piece) => piece.kind === 'stream' && !piece.windowedKey && piece.value === input.value,
    );
    const right = this.draft.choice.pick(others);
    if (right.id === input.id) return;
    this.draft.used.add(right.id);
    this.draft.add({ op: 'merge', left: input.id, right: right.id, ...this.draft.maybeNamed() }, input);
  }

  private split(input: Piece): void {
    const id = `n${this.draft.count}`;
    this.draft.count += 1;
    this.draft.used.add(input.id);
    const branches = [
      { pred: this.draft.predicate(input.value), name: 'p' },
      { pred: this.draft.predicate(input.value) },
    ];
    const fallback = this.draft.choice.happens(0.5) ? { default: 'd' } : {};
    this.draft.nodes.push({ op: 'split', id, in: input.id, name: `${id}-`, branches, ...fallback });
    for (const branch of ['p', '2', ...(fallback.default === undefined ? [] : ['d'])])
      this.draft.pieces.push({ ...input, id: `${id}.${id}-${branch}` });
  }

  private ofTable(input: Piece): void {
    const { choice } = this.draft;
    const makers: (() => void)[] = [
      () =>
        this.draft.add(
          {
            op: choice.pick(['filter', 'filterNot']),
            in: input.id,
            pred: this.draft.predicate(input.value),
            ...this.draft.maybeNamed(),
            ...this.draft.maybeStored(),
          },
          input,
        ),
      () => this.mapValues(input, this.draft.maybeStored()),
      () => this.toStream(input),
      () => this.suppress(input),
      () => tableGroup(this.draft, input),
      () => joinOf(this.draft, 'table', input),
      () => joinOf(this.draft, 'table', input),
    ];
    choice.pick(makers)();
  }

  private toStream(input: Piece): void {
    const made = this.draft.add(
      { op: 'toStream', in: input.id, ...this.draft.maybeNamed() },
      { ...input, kind: 'stream', mapped: false },
    );
    if (made.windowedKey && this.draft.choice.happens(0.5)) this.unwindow(made);
  }

  private unwindow(input: Piece): void {
    const keyFn = this.draft.choice.pick(['unwindowKey', 'windowedKeyToString']);
    this.draft.add(
      { op: 'map', in: input.id, keyFn, valueFn: 'value', ...this.draft.maybeNamed() },
      { ...input, windowedKey: false, session: false },
    );
  }

  private suppress(input: Piece): void {
    if (needsSerde(input)) return;
    const { choice } = this.draft;
    const named = this.draft.maybeNamed();
    const unlogged = choice.happens(0.1) ? { loggingDisabled: true } : {};
    if (input.windowedKey && choice.happens(0.6)) {
      const buffer = choice.happens(0.2) ? { buffer: { maxRecords: 4, whenFull: 'shutDown' as const } } : {};
      this.draft.add({ op: 'suppress', in: input.id, until: 'windowCloses', ...buffer, ...named, ...unlogged }, input);
      return;
    }
    const limits = [{}, { maxRecords: 1 }, { maxRecords: 3 }, { maxBytes: 120 }, { maxBytes: 400, maxRecords: 5 }];
    const limit = choice.pick(limits);
    const buffer = Object.keys(limit).length === 0 ? {} : { buffer: { ...limit, whenFull: 'emitEarly' as const } };
    const timeLimitMs = choice.pick([0, 1, 20, 60, 200, 1_000]);
    this.draft.add(
      { op: 'suppress', in: input.id, until: 'timeLimit', timeLimitMs, ...buffer, ...named, ...unlogged },
      input,
    );
  }

  private finish(piece: Piece): void {
    if (this.draft.used.has(piece.id) && this.draft.choice.happens(0.7)) return;
    if (piece.kind === 'table') {
      const stream = this.draft.add({ op: 'toStream', in: piece.id }, { ...piece, kind: 'stream' });
      this.finish(stream);
    } else if (piece.kind === 'stream')
      this.draft.nodes.push({ op: 'to', in: piece.id, topic: `out${this.draft.nodes.length}` });
  }
}
