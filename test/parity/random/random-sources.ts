/** What random topologies of the DSL read. */
import type { CaseType } from '../case-functions.js';
import type { Commands } from './random-commands.js';
import type { InputTopic } from './random-inputs.js';
import { process } from './random-processors.js';
import type { TopologyDraft } from './topology-draft.js';

export function anySource(draft: TopologyDraft): void {
  const kind = draft.choice.next();
  if (kind < 0.08) globalStore(draft);
  else if (kind < 0.16) commands(draft);
  else plainSource(draft);
}

/** A stream, a table or a global table. */
export function plainSource(draft: TopologyDraft): void {
  const { choice } = draft;
  const op = choice.pick(['stream', 'stream', 'stream', 'table', 'table', 'globalTable']);
  const { topic, value } = input(draft);
  const typed = value === 'long' ? { value } : {};
  if (op === 'stream') draft.add({ op, topic, ...typed, ...draft.maybeNamed() }, { kind: 'stream', value });
  else if (op === 'globalTable')
    draft.add({ op, topic, ...typed, store: `g${draft.count}` }, { kind: 'globalTable', value });
  else if (choice.happens(0.2)) {
    const versionedMs = choice.pick([0, 50, 200, 1_000, 100_000]);
    const node = { op, topic, ...typed, store: `v${draft.count}`, versionedMs };
    draft.add(node, { kind: 'table', value, versioned: true });
  } else draft.add({ op, topic, ...typed, ...draft.maybeNamed(), ...draft.kept() }, { kind: 'table', value });
}

function globalStore(draft: TopologyDraft): void {
  const topic = nextTopic(draft);
  const store = `gs${draft.count}`;
  draft.inputs.push({ topic, value: 'string' });
  draft.stores.push({ name: store, type: 'keyValue' });
  draft.globals.push(store);
  draft.nodes.push({ op: 'globalStore', topic, store, processor: draft.choice.pick(['globalPut', 'running']) });
}

/** A stream of commands, and the processor that reads them. */
function commands(draft: TopologyDraft): void {
  const topic = nextTopic(draft);
  const kind = draft.choice.pick<Commands>(['keyValue', 'window', 'versioned']);
  draft.inputs.push({ topic, value: 'string', commands: kind });
  const id = `n${draft.count}`;
  draft.count += 1;
  draft.nodes.push({ op: 'stream', id, topic });
  process(draft, { id, kind: 'stream', value: 'string', windowedKey: false, commands: kind });
}

/** A topic of its own, or one that is read already. */
function input(draft: TopologyDraft): InputTopic {
  const { choice, inputs, traits } = draft;
  const plain = inputs.filter(({ commands }) => commands === undefined);
  if (traits.sharedTopics > 0 && plain.length > 0 && choice.happens(traits.sharedTopics)) return choice.pick(plain);
  const value: CaseType = choice.happens(0.2) ? 'long' : 'string';
  const made = { topic: nextTopic(draft), value };
  inputs.push(made);
  return made;
}

function nextTopic({ inputs }: TopologyDraft): string {
  return `in${inputs.length + 1}`;
}
