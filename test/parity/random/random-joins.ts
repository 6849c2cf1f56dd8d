/** Joins of random topologies, by the kinds of their sides. */
import type { FunctionRef } from '../case-functions.js';
import { field, needsSerde, type Piece, type TopologyDraft } from './topology-draft.js';

export function joinOf(draft: TopologyDraft, kind: 'stream' | 'table' | 'globalTable', one: Piece): void {
  const { choice } = draft;
  if (one.kind === 'globalTable') {
    const streams = draft.pieces.filter((piece) => piece.kind === 'stream' && !piece.windowedKey);
    if (streams.length > 0) globalJoin(draft, choice.pick(streams), one);
    return;
  }
  if (one.windowedKey) return;
  const others = draft.pieces.filter((piece) => piece.kind === kind && !piece.windowedKey);
  if (others.length === 0) return;
  const other = choice.pick(others);
  if (kind === 'globalTable') globalJoin(draft, one, other);
  else if (one.kind === 'table') tableJoin(draft, one, other);
  else if (kind === 'table') streamTableJoin(draft, one, other);
  else streamJoin(draft, one, other);
}

function globalJoin(draft: TopologyDraft, left: Piece, right: Piece): void {
  draft.used.add(right.id);
  const op = draft.choice.pick(['join', 'leftJoin']);
  const keyFn = left.value === 'string' ? draft.choice.pick<FunctionRef>([field(0), 'key', 'firstChar']) : 'key';
  draft.add(
    { op, left: left.id, right: right.id, keyFn, ...draft.joiner(), ...draft.maybeNamed() },
    { ...left, value: 'string' },
  );
}

function streamTableJoin(draft: TopologyDraft, left: Piece, right: Piece): void {
  const op = draft.choice.pick(['join', 'leftJoin']);
  const grace =
    right.versioned === true && draft.choice.happens(0.5) ? { graceMs: draft.choice.pick([0, 10, 40]) } : {};
  draft.used.add(right.id);
  draft.add(
    { op, left: left.id, right: right.id, ...draft.joiner(), ...grace, ...draft.maybeNamed() },
    { ...left, value: 'string' },
  );
}

function tableJoin(draft: TopologyDraft, left: Piece, right: Piece): void {
  const { choice } = draft;
  const plain = left.id === right.id;
  const foreign = !plain && left.value === 'string' && !needsSerde(right) && choice.happens(0.4);
  const op = choice.pick(foreign ? ['join', 'leftJoin'] : ['join', 'leftJoin', 'outerJoin']);
  const joiner = draft.joiner().joiner === 'concatWithKey' ? {} : draft.joiner();
  draft.used.add(right.id);
  draft.add(
    {
      op,
      left: left.id,
      right: right.id,
      ...(foreign ? { foreignKey: choice.pick<FunctionRef>([field(0), field(0), 'firstChar']) } : {}),
      ...(joiner.joiner === 'concatWithKey' ? {} : joiner),
      ...draft.maybeNamed(),
      ...draft.maybeStored(),
    },
    { ...left, value: 'string', versioned: false, mapped: false },
  );
}

function streamJoin(draft: TopologyDraft, left: Piece, right: Piece): void {
  const { choice } = draft;
  const op = choice.pick(['join', 'leftJoin', 'outerJoin']);
  // Kafka Streams cannot list a window store whose windows have no length.
  const timeDifferenceMs = choice.pick([5, 20, 60, 200]);
  const oneSided = choice.pick([{}, {}, {}, { beforeMs: 0 }, { afterMs: 0 }, { beforeMs: 10, afterMs: 30 }]);
  const inMemory = choice.happens(0.3) ? { inMemory: true } : {};
  const storeName = choice.happens(0.2) ? { storeName: `js${draft.count}` } : {};
  const unlogged = choice.happens(0.1) ? { loggingDisabled: true } : {};
  draft.used.add(right.id);
  draft.add(
    {
      op,
      left: left.id,
      right: right.id,
      timeDifferenceMs,
      ...oneSided,
      graceMs: choice.pick([0, 0, 10, 50, 300]),
      ...draft.joiner(),
      ...inMemory,
      ...storeName,
      ...unlogged,
      ...draft.maybeNamed(),
    },
    { ...left, value: 'string' },
  );
}
