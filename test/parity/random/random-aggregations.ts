/** Groupings of random topologies and what is made of them at once: aggregations, in windows or not, of one stream or a cogroup. */
import type { CaseNode } from '../case-nodes.js';
import { randomWindow } from './random-window.js';
import type { Piece, TopologyDraft } from './topology-draft.js';

/** Not so long that no random input goes past it. */
const SHORT_RETENTION_MS = 3_000;
/** So long that none does. */
const LONG_RETENTION_MS = 1_000_000;

export function group(draft: TopologyDraft, input: Piece): void {
  const { choice } = draft;
  const byKey = choice.happens(0.5);
  const node = byKey ? { op: 'groupByKey' } : { op: 'groupBy', fn: draft.keyMapper(input) };
  const grouped = draft.add({ ...node, in: input.id, ...draft.maybeNamed() }, { ...input, kind: 'groupedStream' });
  if (choice.happens(0.25)) cogroup(draft, grouped);
  else if (choice.happens(0.7)) windowedBy(draft, grouped);
  else aggregate(draft, grouped);
}

function cogroup(draft: TopologyDraft, first: Piece): void {
  const others = draft.pieces.filter(({ kind, id }) => kind === 'groupedStream' && id !== first.id);
  const inputs = others.length === 0 || draft.choice.happens(0.3) ? [first] : [first, draft.choice.pick(others)];
  const groups = inputs.map(({ id }, index) => ({ in: id, fn: { fn: 'concatTag', arg: 'LR'.charAt(index) } }));
  for (const { id } of inputs) draft.used.add(id);
  const made = draft.add({ op: 'cogroup', groups }, { ...first, kind: 'cogrouped', value: 'string' });
  if (draft.choice.happens(0.5)) aggregate(draft, made);
  else windowedBy(draft, made);
}

function windowedBy(draft: TopologyDraft, input: Piece): void {
  const { window, session } = randomWindow(draft.choice);
  // Cogrouped streams have no strategy of emission.
  const final = input.kind === 'groupedStream' && window.type !== 'unlimited' && draft.choice.happens(0.3);
  const made = draft.add(
    { op: 'windowedBy', in: input.id, window, ...(final ? { emit: 'onWindowClose' as const } : {}) },
    { ...input, kind: input.kind === 'cogrouped' ? 'windowedCogroup' : 'windowed', windowedKey: true, session },
  );
  const drawn = !final && draft.choice.happens(0.15) ? { retentionMs: SHORT_RETENTION_MS } : {};
  // Where stream time jumps past the retention Kafka Streams loses final results, and its cache goes on showing sessions and windows of a
  // cogroup that the store has let go, for as long as there is memory: such cases are not to be equalled.
  const shownByCache = draft.traits.cached && (session || input.kind === 'cogrouped');
  const retention = final || shownByCache ? { retentionMs: LONG_RETENTION_MS } : drawn;
  aggregate(draft, made, window.type === 'unlimited' ? {} : retention);
}

export function aggregate(draft: TopologyDraft, input: Piece, options: Partial<CaseNode> = {}): void {
  const { choice } = draft;
  const kept = { ...draft.kept(), ...draft.maybeNamed(), ...options };
  const out = { ...input, kind: 'table', mapped: false } as const;
  const isCogroup = input.kind === 'cogrouped' || input.kind === 'windowedCogroup';
  const op = isCogroup ? 'aggregate' : choice.pick(['count', 'reduce', 'aggregate']);
  const isTable = input.kind === 'groupedTable';
  if (op === 'count') draft.add({ op, in: input.id, ...kept }, { ...out, value: 'long' });
  else if (op === 'reduce') {
    const [fn, subtractor] = input.value === 'long' ? ['sum', 'subtract'] : [draft.reducer(), 'concatMinus'];
    draft.add({ op, in: input.id, fn, ...(isTable ? { subtractor } : {}), ...kept }, out);
  } else if (isCogroup)
    draft.add({ op, in: input.id, init: '', ...merged(input, 'concat'), ...kept }, { ...out, value: 'string' });
  else if (choice.happens(0.3) && !(isTable && input.value === 'string')) {
    const fn = input.value === 'long' ? 'sum' : 'sumLength';
    const node = { op, in: input.id, init: 0, fn, ...(isTable ? { subtractor: 'subtract' } : {}) };
    draft.add({ ...node, ...merged(input, 'sum'), ...kept }, { ...out, value: 'long' });
  } else {
    const node = {
      op,
      in: input.id,
      init: '0',
      fn: draft.reducer(),
      ...(isTable ? { subtractor: 'concatMinus' } : {}),
    };
    draft.add({ ...node, ...merged(input, 'concat'), ...kept }, { ...out, value: 'string' });
  }
}

function merged(input: Piece, merger: string): Partial<CaseNode> {
  return input.session === true ? { merger } : {};
}

export function tableGroup(draft: TopologyDraft, input: Piece): void {
  const { fn, value } = draft.valueMapper(input);
  const keyFn = input.windowedKey ? draft.choice.pick(['unwindowKey', 'windowedKeyToString']) : draft.keyMapper(input);
  const out = { ...input, kind: 'groupedTable', value, windowedKey: false, session: false } as const;
  aggregate(draft, draft.add({ op: 'groupBy', in: input.id, keyFn, valueFn: fn, ...draft.maybeNamed() }, out));
}
