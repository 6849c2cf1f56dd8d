/** Aggregations of cases: of grouped streams and tables, and of grouped streams in windows. */
import {
  hopping,
  type KTable,
  type SessionWindows,
  type SlidingWindows,
  session,
  sliding,
  type TimeWindows,
  tumbling,
  type UnlimitedWindows,
  unlimited,
} from '../../lib/index.js';
import { aggregator, type CaseType, merger, reducer } from './case-functions.js';
import {
  aggregated,
  type CaseNode,
  type CaseWindow,
  type Made,
  type NodesBuild,
  type Operator,
  serde,
  type Types,
  type Value,
} from './case-nodes.js';

export const aggregateOperators: Readonly<Record<string, Operator>> = {
  cogroup: (build, node) => {
    const [first, ...others] = (node.groups ?? []).map((group) => ({
      input: build.kind(node, group.in, 'groupedStream'),
      add: aggregator(group.fn),
    }));
    if (first === undefined) throw new Error('the case cogroups nothing');
    let of = first.input.of.cogroup<Value>(first.add);
    for (const { input, add } of others) of = of.cogroup(input.of, add);
    return { kind: 'cogrouped', of, key: first.input.key, value: 'string' };
  },
  windowedBy: (build, node) => {
    const windows = windowsOf(node.window);
    const cogrouped = build.input(node.in);
    if (cogrouped.kind === 'cogrouped') {
      return windows.kind === 'session'
        ? { ...cogrouped, kind: 'sessionWindowedCogroup', of: cogrouped.of.windowedBy(windows) }
        : { ...cogrouped, kind: 'timeWindowedCogroup', of: cogrouped.of.windowedBy(windows) };
    }
    const input = build.kind(node, node.in, 'groupedStream');
    const types = { key: input.key, value: input.value };
    if (windows.kind === 'session') {
      const of = input.of.windowedBy(windows);
      return { kind: 'sessionWindowed', of: node.emit === undefined ? of : of.emitStrategy(node.emit), ...types };
    }
    const of = input.of.windowedBy(windows as TimeWindows);
    return { kind: 'timeWindowed', of: node.emit === undefined ? of : of.emitStrategy(node.emit), ...types };
  },
  count: (build, node) => {
    const input = grouped(build, node);
    return table(input.of.count(windowed(node)), { key: input.key, value: 'long' });
  },
  reduce: (build, node) => {
    const input = grouped(build, node);
    const add = reducer(node.fn ?? '');
    if (input.kind !== 'groupedTable') return table(input.of.reduce(add, windowed(node)), input);
    return table(input.of.reduce({ ...aggregated(node), add, subtract: reducer(node.subtractor ?? '') }), input);
  },
  aggregate: (build, node) => {
    const input = aggregable(build, node);
    const value: CaseType = typeof node.init === 'number' ? 'long' : 'string';
    const init = (): Value => node.init ?? '';
    const kept = { ...windowed(node), value: serde(value), init };
    const types = { key: input.key, value };
    if (input.kind === 'cogrouped' || input.kind === 'timeWindowedCogroup')
      return table(input.of.aggregate(kept), types);
    const merge = merger(node.merger ?? 'sum');
    if (input.kind === 'sessionWindowedCogroup') return table(input.of.aggregate({ ...kept, merge }), types);
    const options = { ...kept, add: aggregator(node.fn ?? '') };
    switch (input.kind) {
      case 'groupedTable':
        return table(input.of.aggregate({ ...options, subtract: aggregator(node.subtractor ?? '') }), types);
      case 'sessionWindowed':
        return table(input.of.aggregate({ ...options, merge }), types);
      default:
        return table(input.of.aggregate(options), types);
    }
  },
};

function aggregable(build: NodesBuild, node: CaseNode) {
  const input = build.input(node.in);
  if (input.kind === 'stream' || input.kind === 'table' || input.kind === 'globalTable')
    throw new Error(`missing operator: ${node.op} of a ${input.kind}`);
  return input;
}

function grouped(build: NodesBuild, node: CaseNode) {
  const input = aggregable(build, node);
  if (input.kind === 'cogrouped' || input.kind === 'timeWindowedCogroup' || input.kind === 'sessionWindowedCogroup')
    throw new Error(`missing operator: ${node.op} of a ${input.kind}`);
  return input;
}

/** A table of any keys: windowed ones are read back by the functions of the case. */
function table(of: KTable<never, never> | KTable<unknown, unknown>, { key, value }: Types): Made {
  return { kind: 'table', of: of as unknown as KTable<Value, Value>, key, value };
}

function windowed(node: CaseNode) {
  return { ...aggregated(node), ...(node.retentionMs === undefined ? {} : { retention: node.retentionMs }) };
}

function windowsOf(window: CaseWindow | undefined): TimeWindows | UnlimitedWindows | SlidingWindows | SessionWindows {
  const { sizeMs = 0, advanceMs = 0, graceMs: grace = 0, timeDifferenceMs = 0, gapMs = 0, startMs = 0 } = window ?? {};
  switch (window?.type) {
    case 'tumbling':
      return tumbling({ size: sizeMs, grace });
    case 'hopping':
      return hopping({ size: sizeMs, advance: advanceMs, grace });
    case 'sliding':
      return sliding({ timeDifference: timeDifferenceMs, grace });
    case 'session':
      return session({ inactivityGap: gapMs, grace });
    case 'unlimited':
      return unlimited({ startMs });
    default:
      throw new Error(`missing operator: ${window?.type} windows`);
  }
}
