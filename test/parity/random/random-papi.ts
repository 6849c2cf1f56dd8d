/** Random topologies of the Processor API: sources, processors with stores of their own or shared, global stores, sinks. */
import type { Chance } from '../../../lib/testing/simulation/chance.js';
import type { PapiNode } from '../build-papi.js';
import type { CaseStore, CaseTopology } from '../build-topology.js';
import type { CaseType } from '../case-functions.js';
import type { ProcessorRef } from '../case-processors.js';
import { type Content, processorKinds } from './processor-kinds.js';
import type { InputTopic } from './random-inputs.js';

const MAX_PROCESSORS = 6;

/** A node that others may have as their parent. */
interface Parent {
  readonly name: string;
  readonly content: Content;
}

export class RandomPapi {
  readonly inputs: InputTopic[] = [];
  private readonly choice: Chance;
  private readonly nodes: PapiNode[] = [];
  private readonly stores: CaseStore[] = [];
  private readonly users = new Map<string, string[]>();
  private readonly globals: string[] = [];
  private readonly parents: Parent[] = [];
  private count = 0;

  constructor(choice: Chance) {
    this.choice = choice;
  }

  make(): CaseTopology {
    const { choice } = this;
    if (choice.happens(0.35)) this.globalStore();
    this.source();
    if (choice.happens(0.6)) this.source();
    const processors = choice.between(1, MAX_PROCESSORS);
    for (let step = 0; step < processors; step += 1) {
      if (choice.happens(0.08)) this.throughTopic();
      this.processor();
    }
    this.connect();
    this.finish();
    return { ...(this.stores.length === 0 ? {} : { stores: this.stores }), papi: this.nodes };
  }

  private nextName(kind: string): string {
    this.count += 1;
    return `${kind}${this.count}`;
  }

  private source(): void {
    const { choice } = this;
    const content = choice.pick<Content>(['text', 'text', 'text', 'keyValue', 'window', 'versioned', 'long']);
    const name = this.nextName('source');
    const topics = choice.happens(0.2) ? [`${name}-a`, `${name}-b`] : [`${name}-in`];
    for (const topic of topics) this.inputs.push(inputOf(topic, content));
    this.nodes.push({ op: 'source', name, topics, ...typed(content) });
    this.parents.push({ name, content });
  }

  private globalStore(): void {
    const { choice } = this;
    const name = this.nextName('global');
    const processor = choice.pick(['globalPut', 'globalPut', 'running', 'kvCommand']);
    const content = processor === 'kvCommand' ? 'keyValue' : 'text';
    this.stores.push({ name, type: 'keyValue', ...(choice.happens(0.5) ? { inMemory: true } : {}) });
    this.globals.push(name);
    this.inputs.push(inputOf(`${name}-in`, content));
    const names = { source: `${name}-source`, topic: `${name}-in`, name: `${name}-processor` };
    this.nodes.push({ op: 'globalStore', ...names, store: name, processor });
  }

  /** A sink, and a source that reads what it writes. */
  private throughTopic(): void {
    const { name, content } = this.choice.pick(this.parents);
    const topic = `${this.nextName('through')}`;
    this.nodes.push({ op: 'sink', name: `${topic}-sink`, topic, parents: [name], ...typed(content) });
    this.nodes.push({ op: 'source', name: `${topic}-source`, topics: [topic], ...typed(content) });
    this.parents.push({ name: `${topic}-source`, content });
  }

  private processor(): void {
    const { choice } = this;
    const first = choice.pick(this.parents);
    const second = choice.pick(this.parents);
    const both = second !== first && second.content === first.content && choice.happens(0.5);
    const parents = both ? [first.name, second.name] : [first.name];
    const name = this.nextName('p');
    const { content } = first;
    if (this.globals.length > 0 && (content === 'text' || content === 'keyValue') && choice.happens(0.3)) {
      this.globalReader(name, parents, content);
      return;
    }
    if (content !== 'long' && choice.happens(0.2)) {
      this.nodes.push({ op: 'processor', name, parents, processor: 'route' });
      this.parents.push({ name, content });
      return;
    }
    const kinds = processorKinds.filter(({ reads }) => reads.includes(content));
    const kind = choice.pick(choice.happens(0.5) ? kinds.filter(({ store }) => store !== undefined) : kinds);
    const options = kind.options?.(choice);
    const processor = options === undefined ? kind.type : { type: kind.type, ...options };
    const spec = kind.store?.(choice);
    const stores = spec === undefined ? {} : { stores: [this.storeOf(spec, name)] };
    this.nodes.push({ op: 'processor', name, parents, processor, ...stores });
    this.parents.push({ name, content: kind.gives ?? content });
  }

  /** Reads a global store; with commands it may try to write to it. */
  private globalReader(name: string, parents: readonly string[], content: Content): void {
    const store = this.choice.pick(this.globals);
    const reads: Partial<PapiNode> =
      content === 'text' ? { processor: { type: 'globalLookup', store } } : { processor: 'kvCommand', stores: [store] };
    this.nodes.push({ op: 'processor', name, parents, ...reads });
    this.parents.push({ name, content: 'text' });
  }

  /** A store of the kind that is there already, or a new one. */
  private storeOf(spec: Omit<CaseStore, 'name'>, user: string): string {
    const isAlike = ({ name, type, value }: CaseStore) =>
      type === spec.type && value === spec.value && !this.globals.includes(name);
    const alike = this.stores.filter(isAlike);
    if (alike.length > 0 && this.choice.happens(0.4)) {
      const { name } = this.choice.pick(alike);
      this.users.get(name)?.push(user);
      return name;
    }
    const name = this.nextName('store');
    this.stores.push({ name, ...spec });
    this.users.set(name, [user]);
    return name;
  }

  /** Adds the stores; rarely to one that does not want it, instead of one that does. */
  private connect(): void {
    const all = this.nodes.filter(({ op }) => op === 'processor').map(({ name }) => name);
    for (const [store, users] of this.users) {
      const processors = this.choice.happens(0.02) ? [...new Set([...users.slice(1), this.choice.pick(all)])] : users;
      this.nodes.push({ op: 'store', name: store, store, processors });
    }
  }

  private finish(): void {
    const { choice } = this;
    const hasChild = new Set(this.nodes.flatMap(({ parents = [] }) => parents));
    for (const parent of this.parents) {
      const isRoute = this.nodes.some(({ name, processor }) => name === parent.name && processor === 'route');
      if (isRoute || !hasChild.has(parent.name) || choice.happens(0.2)) this.sink(parent);
    }
    for (const [at, node] of this.nodes.entries())
      if (node.processor === 'route') this.nodes[at] = { ...node, processor: this.routeOf(node.name) };
  }

  private sink({ name: parent, content }: Parent): void {
    const name = this.nextName('sink');
    const others = this.parents.filter((other) => other.name !== parent && typeOf(other.content) === typeOf(content));
    const second = others.length > 0 && this.choice.happens(0.15) ? [this.choice.pick(others).name] : [];
    this.nodes.push({ op: 'sink', name, topic: `${name}-out`, parents: [parent, ...second], ...typed(content) });
  }

  /** To each child by what values start with; rarely to one that is not there. */
  private routeOf(name: string): ProcessorRef {
    const children = this.nodes.filter(({ parents = [] }) => parents.includes(name)).map((child) => child.name);
    const prefixes = ['x', 'y', 'a', 'p', 'put', 'g', '?'];
    const rules = [0, 1, 2].map(() => ({ prefix: this.choice.pick(prefixes), child: this.choice.pick(children) }));
    return { type: 'route', rules, default: this.choice.happens(0.03) ? 'nobody' : this.choice.pick(children) };
  }
}

function typeOf(content: Content): CaseType {
  return content === 'long' ? 'long' : 'string';
}

function typed(content: Content): { readonly value?: CaseType } {
  return content === 'long' ? { value: 'long' } : {};
}

function inputOf(topic: string, content: Content): InputTopic {
  const isPlain = content === 'text' || content === 'long';
  return { topic, value: typeOf(content), ...(isPlain ? {} : { commands: content }) };
}
