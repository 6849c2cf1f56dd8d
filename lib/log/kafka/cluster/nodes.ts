/** Where brokers are: the ones to begin with, from the settings, and the ones that metadata told of. */
import type { Random } from '../../../host/host.js';
import { BrokerError } from '../failures.js';
import type { Address } from '../net/transport.js';
import type { NodeAddress } from '../requests/metadata.js';

const LEADER_NOT_AVAILABLE = 5;

export class Nodes {
  private readonly bootstrap: readonly Address[];
  private readonly random: Random;
  private known: ReadonlyMap<number, NodeAddress> = new Map();
  /** Addresses whose last connection failed: asked last. */
  private readonly failing = new Set<string>();

  constructor(bootstrap: readonly Address[], random: Random) {
    this.bootstrap = bootstrap;
    this.random = random;
  }

  replace(nodes: readonly NodeAddress[]): void {
    if (nodes.length > 0) this.known = new Map(nodes.map((node) => [node.nodeId, node]));
  }

  get all(): readonly NodeAddress[] {
    return [...this.known.values()];
  }

  /** @throws {BrokerError} LEADER_NOT_AVAILABLE if metadata has no such node, or none at all */
  byId(nodeId: number, what: string): Address {
    const node = this.known.get(nodeId);
    if (node === undefined) throw new BrokerError(what, LEADER_NOT_AVAILABLE, { nodeId });
    return node;
  }

  /** Any node, at random; known ones before those of the settings, those that failed last after all others. */
  any(): Address {
    const candidates = [this.shuffled(this.all), this.shuffled(this.bootstrap)].flat();
    const found = candidates.find((address) => !this.failing.has(keyOf(address))) ?? this.forgive(candidates);
    return found;
  }

  failed(address: Address): void {
    this.failing.add(keyOf(address));
  }

  answered(address: Address): void {
    this.failing.delete(keyOf(address));
  }

  private forgive(candidates: readonly Address[]): Address {
    this.failing.clear();
    return candidates[0] as Address;
  }

  private shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, rank: this.random.next() }))
      .sort((one, other) => one.rank - other.rank)
      .map(({ item }) => item);
  }
}

function keyOf({ host, port }: Address): string {
  return `${host}:${port}`;
}
