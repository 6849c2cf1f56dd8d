/**
 * Flow of least cost through a graph, by cancelling cycles of negative cost. Kafka: `Graph`, KIP-925.
 *
 * Of several flows of least cost it finds the one that Kafka Streams finds: nodes and edges are looked at in the order of
 * their numbers, and cycles are cancelled in the order in which Bellman and Ford's search meets them. That order has its price,
 * here as there: a flow of 400 tasks over 20 members takes seconds.
 */

/** An edge with what flows through it now, 0 ≤ flow ≤ capacity. */
export interface FlowEdge {
  readonly from: number;
  readonly to: number;
  readonly capacity: number;
  readonly cost: number;
  readonly flow: number;
}

interface Arc {
  readonly start: Node;
  readonly end: Node;
  readonly cost: number;
  /** Whether it is an edge of the graph; else it takes the flow of one back. */
  readonly isEdge: boolean;
  flow: number;
  /** What may still flow. */
  residual: number;
  counter: Arc | undefined;
}

interface Node {
  readonly number: number;
  readonly arcs: Arc[];
  distance: number;
  /** Whether the distance has changed since its arcs were looked at. */
  isChanged: boolean;
  /** By which arc the distance was found; undefined: from outside. */
  parent: Arc | undefined;
}

export class FlowGraph {
  /** By number. */
  private readonly nodes: readonly Node[];
  private readonly byNumber: ReadonlyMap<number, Node>;

  /** @param edges between two nodes at most one, in one direction */
  constructor(edges: readonly FlowEdge[]) {
    const numbers = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);
    this.nodes = numbers.map((number): Node => ({ number, arcs: [], distance: 0, isChanged: true, parent: undefined }));
    this.byNumber = new Map(this.nodes.map((node) => [node.number, node]));
    for (const { from, to, capacity, cost, flow } of edges) {
      const [start, end] = [this.node(from), this.node(to)];
      if (start === undefined || end === undefined) continue; // never: every number of an edge is a node's
      const edge: Arc = { start, end, cost, isEdge: true, flow, residual: capacity - flow, counter: undefined };
      const back: Arc = { start: end, end: start, cost: -cost, isEdge: false, flow: 0, residual: flow, counter: edge };
      edge.counter = back;
      start.arcs.push(edge);
      end.arcs.push(back);
    }
    for (const { arcs } of this.nodes) arcs.sort((a, b) => a.end.number - b.end.number);
  }

  /** Lets flow as much as can from one node to another, shortest ways first. Ends: each way adds at least 1. */
  maximise(source: number, sink: number): void {
    for (let way = this.shortestWay(source, sink); way.length > 0; way = this.shortestWay(source, sink)) push(way);
  }

  /** Makes the flow cost as little as it can, its size unchanged. Ends: each cycle lowers the cost, which is whole. */
  minimise(): void {
    for (let cycle = this.negativeCycle(); cycle.length > 0; cycle = this.negativeCycle()) push(cycle);
  }

  /** The first node to which something flows from this one. */
  flowsTo(from: number): number | undefined {
    return this.node(from)?.arcs.find(({ isEdge, flow }) => isEdge && flow > 0)?.end.number;
  }

  private node(number: number): Node | undefined {
    return this.byNumber.get(number);
  }

  /** Arcs of a way with room, by breadth; none: there is no way. */
  private shortestWay(source: number, sink: number): Arc[] {
    const start = this.node(source);
    if (start === undefined) return [];
    const cameBy = new Map<Node, Arc | undefined>([[start, undefined]]);
    for (const node of cameBy.keys()) {
      // A map may grow while it is gone through: this is the queue.
      for (const arc of node.arcs) {
        if (arc.residual <= 0 || cameBy.has(arc.end)) continue;
        cameBy.set(arc.end, arc);
        if (arc.end.number === sink) return wayTo(arc, cameBy);
      }
    }
    return [];
  }

  /**
   * Arcs of a cycle with room whose costs sum to less than 0; none: there is none.
   *
   * All nodes begin at distance 0, as if reached from one node outside the graph, which counts as one more: if distances
   * still shrink in as many rounds as there are nodes, there is a negative cycle.
   */
  private negativeCycle(): Arc[] {
    for (const node of this.nodes) {
      node.distance = 0;
      node.isChanged = true;
      node.parent = undefined;
    }
    for (let round = 0; round < this.nodes.length; round++) if (!this.relax()) return [];
    const node = this.relaxOne();
    return node === undefined ? [] : cycleFrom(node);
  }

  /** One round over all arcs. Nodes whose distance is as it was when their arcs were last looked at have nothing to tell. */
  private relax(): boolean {
    let hasShrunk = false;
    for (const node of this.nodes) {
      if (!node.isChanged) continue;
      node.isChanged = false;
      for (const arc of node.arcs) if (shrinks(arc)) hasShrunk = true;
    }
    return hasShrunk;
  }

  /** The first node whose distance shrinks in one more round. */
  private relaxOne(): Node | undefined {
    for (const node of this.nodes) {
      if (!node.isChanged) continue;
      const arc = node.arcs.find(shrinks);
      if (arc !== undefined) return arc.end;
    }
    return undefined;
  }
}

/** Whether an arc shortens the distance to its end, which it then does. */
function shrinks(arc: Arc): boolean {
  const { start, end, cost, residual } = arc;
  if (residual === 0 || end.distance <= start.distance + cost) return false;
  end.distance = start.distance + cost;
  end.isChanged = true;
  end.parent = arc;
  return true;
}

/** The arcs of the cycle that is met on the way back from a node. */
function cycleFrom(from: Node): Arc[] {
  const seen = new Set<Node>();
  let node = from;
  while (!seen.has(node)) {
    seen.add(node);
    if (node.parent === undefined) return []; // never: a distance that shrinks for so long comes from a cycle
    node = node.parent.start;
  }
  const arcs: Arc[] = [];
  const first = node;
  do {
    if (node.parent === undefined) return [];
    arcs.push(node.parent);
    node = node.parent.start;
  } while (node !== first);
  return arcs;
}

function wayTo(last: Arc, cameBy: ReadonlyMap<Node, Arc | undefined>): Arc[] {
  const arcs: Arc[] = [];
  for (let arc: Arc | undefined = last; arc !== undefined; arc = cameBy.get(arc.start)) arcs.push(arc);
  return arcs;
}

/** Lets as much flow along the arcs as all have room for. */
function push(arcs: readonly Arc[]): void {
  const amount = arcs.reduce((least, { residual }) => Math.min(least, residual), Number.MAX_SAFE_INTEGER);
  for (const arc of arcs) {
    arc.residual -= amount;
    if (arc.isEdge) arc.flow += amount;
    if (arc.counter === undefined) continue;
    arc.counter.residual += amount;
    if (arc.counter.isEdge) arc.counter.flow -= amount;
  }
}
