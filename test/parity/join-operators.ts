/** Joins of cases, by the kinds of their sides. */
import type { KStream } from '../../lib/index.js';
import {
  type CaseNode,
  type Made,
  mapped,
  named,
  type Of,
  type Operator,
  serde,
  stored,
  type Value,
} from './case-nodes.js';

type Joiner = (left: Value, right: Value, key: Value) => Value;
type AnyJoiner = (left: Value, right: Value, key: Value, arg: Value) => Value;

const joiners: Readonly<Record<string, AnyJoiner>> = {
  concat: (left, right) => `${String(left)}+${String(right)}`,
  concatWithKey: (left, right, key) => `${String(key)}:${String(left)}+${String(right)}`,
  nullIfRight: (left, right, _key, arg) => (right === arg ? null : `${String(left)}+${String(right)}`),
};

/** The function that a case names for a join. */
export function joiner(node: CaseNode): Joiner {
  const ref = node.joiner ?? 'concat';
  const { fn, arg = null } = typeof ref === 'string' ? { fn: ref } : ref;
  const of = joiners[fn];
  if (of === undefined) throw new Error(`missing operator: joiner ${fn}`);
  return (left, right, key) => of(left, right, key, arg);
}

type JoinName = 'join' | 'leftJoin' | 'outerJoin';

function streamTable(left: Of<'stream'>, right: Of<'table'>, node: CaseNode, join: JoinName): Made {
  const grace = node.graceMs === undefined ? {} : { grace: node.graceMs };
  if (join === 'outerJoin') throw new Error(`missing operator: ${join} of stream and table`);
  const options = { ...named(node), joiner: joiner(node), value: serde('string'), ...grace };
  const of = join === 'join' ? left.of.join(right.of, options) : left.of.leftJoin(right.of, options);
  return { kind: 'stream', of, key: left.key, value: 'string' };
}

function tableTable(left: Of<'table'>, right: Of<'table'>, node: CaseNode, join: JoinName): Made {
  const options = { ...named(node), ...stored(node), joiner: joiner(node), value: serde('string') };
  if (node.foreignKey !== undefined) {
    const { map } = mapped(node.foreignKey, left);
    const byKey = { ...options, foreignKey: (value: Value, key: Value) => map(key, value) };
    const of = join === 'join' ? left.of.join(right.of, byKey) : left.of.leftJoin(right.of, byKey);
    return { kind: 'table', of, key: left.key, value: 'string' };
  }
  const joins = {
    join: () => left.of.join(right.of, options),
    leftJoin: () => left.of.leftJoin(right.of, options),
    outerJoin: () => left.of.outerJoin(right.of, options),
  };
  return { kind: 'table', of: joins[join](), key: left.key, value: 'string' };
}

function streamStream(left: Of<'stream'>, right: Of<'stream'>, node: CaseNode, join: JoinName): Made {
  const { timeDifferenceMs = 0, beforeMs: before = timeDifferenceMs, afterMs: after = timeDifferenceMs } = node;
  const options = {
    ...named(node),
    ...stored(node),
    ...(node.storeName === undefined ? {} : { store: node.storeName }),
    within: { before, after },
    grace: node.graceMs ?? 0,
    joiner: joiner(node),
    value: serde('string'),
  };
  if (join === 'join') return madeStream(left, left.of.join(right.of, options));
  return madeStream(
    left,
    join === 'leftJoin' ? left.of.leftJoin(right.of, options) : left.of.outerJoin(right.of, options),
  );
}

function madeStream(left: Of<'stream'>, of: KStream<Value, Value>): Made {
  return { kind: 'stream', of, key: left.key, value: 'string' };
}

function streamGlobalTable(left: Of<'stream'>, right: Of<'globalTable'>, node: CaseNode, join: JoinName): Made {
  if (join === 'outerJoin') throw new Error(`missing operator: ${join} of stream and global table`);
  const { map: foreignKey } = mapped(node.keyFn, left);
  const options = { ...named(node), foreignKey, joiner: joiner(node), value: serde('string') };
  const of = join === 'join' ? left.of.join(right.of, options) : left.of.leftJoin(right.of, options);
  return { kind: 'stream', of, key: left.key, value: 'string' };
}

const joined =
  (join: JoinName): Operator =>
  (build, node) => {
    const left = build.input(node.left);
    const right = build.input(node.right);
    if (left.kind === 'stream' && right.kind === 'globalTable') return streamGlobalTable(left, right, node, join);
    if (left.kind === 'stream' && right.kind === 'table') return streamTable(left, right, node, join);
    if (left.kind === 'table' && right.kind === 'table') return tableTable(left, right, node, join);
    if (left.kind === 'stream' && right.kind === 'stream') return streamStream(left, right, node, join);
    throw new Error(`missing operator: ${join} of a ${left.kind} and a ${right.kind}`);
  };

export const joinOperators: Readonly<Record<JoinName, Operator>> = {
  join: joined('join'),
  leftJoin: joined('leftJoin'),
  outerJoin: joined('outerJoin'),
};
