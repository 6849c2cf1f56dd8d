/** Processors of random topologies of the DSL, with the stores that they need. */
import type { CaseStore } from '../build-topology.js';
import { processorKinds } from './processor-kinds.js';
import type { Piece, TopologyDraft } from './topology-draft.js';

export function process(draft: TopologyDraft, input: Piece): void {
  const { choice } = draft;
  const base = { op: 'process', in: input.id, ...draft.maybeNamed() };
  const content = input.commands ?? (input.value === 'long' ? 'long' : 'text');
  if (content === 'text' && draft.globals.length > 0 && choice.happens(0.3)) {
    draft.add({ ...base, processor: { type: 'globalLookup', store: choice.pick(draft.globals) } }, input);
    return;
  }
  // Cases give numbers on as text, unless they count; commands are read at once.
  const kinds = processorKinds.filter(
    ({ reads, gives }) => reads.includes(content) && (content === 'text' || gives !== undefined),
  );
  const { type, gives, options, store } = choice.pick(kinds);
  const given = options?.(choice);
  const processor = given === undefined ? type : { type, ...given };
  const stores = store === undefined ? {} : { stores: [storeOf(draft, store(choice))] };
  const op = type === 'running' && choice.happens(0.5) ? 'processValues' : 'process';
  const { commands: _read, ...plain } = input;
  draft.add({ ...base, op, processor, ...stores }, { ...plain, value: gives === 'long' ? 'long' : 'string' });
}

/** A store of the kind that is there already, or a new one. */
function storeOf(draft: TopologyDraft, spec: Omit<CaseStore, 'name'>): string {
  const alike = draft.stores.filter(
    ({ name, type, value }) => type === spec.type && value === spec.value && !draft.globals.includes(name),
  );
  // What is put twice at once is written once: versions, whose changelog is counted alone, have one processor.
  if (alike.length > 0 && spec.type !== 'versioned' && draft.choice.happens(0.25)) return draft.choice.pick(alike).name;
  const name = `st${draft.count}`;
  draft.stores.push({ name, ...spec });
  return name;
}
