/** Processors of random topologies, with the stores that they need. */
import type { CaseStore } from '../build-topology.js';
import type { CaseNode } from '../case-nodes.js';
import type { Piece, TopologyDraft } from './topology-draft.js';

export function process(draft: TopologyDraft, input: Piece): void {
  if (input.value !== 'string') return;
  const { choice } = draft;
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
  const store = `st${draft.count}`;
  const interval = { clock, intervalMs: choice.pick([10, 50, 200]) };
  const base = { op: 'process', in: input.id, ...draft.maybeNamed() };
  const withStore = (processor: CaseNode['processor'], spec: Omit<CaseStore, 'name'>) => {
    draft.stores.push({ name: store, ...spec });
    return { ...base, processor: processor ?? '', stores: [store] };
  };
  switch (kind) {
    case 'shiftTimestamp':
      draft.add({ ...base, processor: { type: kind, byMs: choice.pick([1, 100]) } }, input);
      return;
    case 'punctuate':
      draft.add(
        { ...base, processor: { type: kind, ...interval, ...(choice.happens(0.3) ? { cancelAfter: 2 } : {}) } },
        input,
      );
      return;
    case 'flushOnPunctuate':
      draft.add(withStore({ type: kind, ...interval }, { type: 'keyValue' }), input);
      return;
    case 'storeCounter':
      draft.add(withStore(kind, { type: 'keyValue', value: 'long' }), { ...input, value: 'long' });
      return;
    case 'running':
      draft.add({ ...withStore(kind, { type: 'keyValue' }), op: 'processValues' }, input);
      return;
    case 'dedup':
      draft.add(
        withStore(
          { type: kind, windowMs: 60 },
          { type: 'window', retentionMs: 2_000, windowMs: 60, inMemory: choice.happens(0.5) },
        ),
        input,
      );
      return;
    case 'sessionAppend':
      draft.add(
        withStore({ type: kind, gapMs: 30 }, { type: 'session', retentionMs: 2_000, inMemory: choice.happens(0.5) }),
        input,
      );
      return;
    case 'tsKvPut':
      draft.add(withStore(kind, { type: 'timestampedKeyValue' }), input);
      return;
    default:
      draft.add({ ...base, processor: kind }, input);
  }
}
