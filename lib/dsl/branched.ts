import { TopologyError } from '../model/errors.js';
import { PREFIX } from './names.js';
import { BRANCHED, checkOptions } from './operator-options.js';
import { branch, passThrough } from './operators/stateless.js';
import type { NamedOptions } from './options.js';
import type { BranchedStream, KStream, Predicate } from './streams.js';
import type { GraphNode } from './streams-graph.js';
import { userFunction } from './user-function.js';
import type { BranchedParts, Wiring } from './wiring.js';

/** Number in the name of an unnamed default branch; the others count from 1. */
const DEFAULT_BRANCH = '0';

/** The one kind of {@link BranchedStream}. */
export class Branched<K, V> implements BranchedStream<K, V> {
  private readonly wiring: Wiring;
  private readonly parts: BranchedParts<K, V>;
  private readonly node: GraphNode;
  private readonly branches: { readonly child: string; readonly predicate: Predicate<K, V> }[] = [];
  private readonly streams = new Map<string, KStream<K, V>>();
  private defaultChild: string | undefined;

  constructor(wiring: Wiring, parts: BranchedParts<K, V>) {
    this.wiring = wiring;
    this.parts = parts;
    const name = wiring.graph.names.orGenerated(parts.name, PREFIX.branch);
    this.node = wiring.graph.add({
      name,
      parents: [parts.node],
      write: (builder, parents) =>
        void builder.addProcessor(name, branch([...this.branches], this.defaultChild), { parents }),
    });
  }

  branch(predicate: Predicate<K, V>, options: NamedOptions = {}): BranchedStream<K, V> {
    this.expectNoDefault(); // Kafka Streams takes it, and hands its records to the default branch
    const takes = userFunction(predicate, `branch of '${this.node.name}'`);
    const child = this.addChild(options.name ?? String(this.branches.length + 1));
    this.branches.push({ child, predicate: takes });
    return this;
  }

  defaultBranch(options: NamedOptions = {}): ReadonlyMap<string, KStream<K, V>> {
    this.expectNoDefault();
    this.defaultChild = this.addChild(options.name ?? DEFAULT_BRANCH);
    return this.streams;
  }

  noDefaultBranch(): ReadonlyMap<string, KStream<K, V>> {
    return this.streams;
  }

  private expectNoDefault(): void {
    if (this.defaultChild === undefined) return;
    throw new TopologyError(`'${this.node.name}' has a default branch already: '${this.defaultChild}'`, {
      details: { node: this.node.name, branch: this.defaultChild },
      remedy: 'Give all branches before the default one, which ends the split.',
    });
  }

  private addChild(suffix: string): string {
    const { graph } = this.wiring;
    const name = graph.names.orGenerated(`${this.node.name}${suffix}`, PREFIX.branch);
    const node = graph.add({
      name,
      parents: [this.node],
      write: (builder, parents) => void builder.addProcessor(name, passThrough<K, V>(), { parents }),
    });
    this.streams.set(name, this.wiring.stream({ ...this.parts, node }));
    return name;
  }
}

checkOptions(Branched, BRANCHED);
