import type { Awaitable } from '../../model/awaitable.js';
import { nullable } from '../../serde/nullable-serde.js';
import type { Serde } from '../../serde/serde.js';
import { nonJoinedStore } from '../../topology/operator-stores.js';
import type { StoreSpec } from '../../topology/store-spec.js';
import { windowStore } from '../../topology/windowed-stores.js';
import { type JoinWindowFormat, joinWindow } from '../operators/join-window.js';
import { passThrough } from '../operators/stateless.js';
import { canMeetItself, streamSelfJoin } from '../operators/stream-self-join.js';
import { type StreamStreamJoinNode, streamStreamJoin } from '../operators/stream-stream-join.js';
import type { StoreOptions } from '../options.js';
import type { KStream } from '../streams.js';
import { userFunction } from '../user-function.js';
import type { StreamParts, Wiring } from '../wiring.js';
import { type AnyJoin, type JoinKind, operatorOf } from './join-options.js';
import { type JoinWindows, joinWindows } from './join-windows.js';
import { repartitionedForJoin } from './repartition-for-join.js';
import { streamStreamNames } from './stream-stream-names.js';
import type { StreamJoinOptions } from './stream-stream-options.js';

type Options = AnyJoin & Partial<StreamJoinOptions> & { readonly value?: Serde<unknown> };
type Joiner<K, V1, V2> = (left: V1 | null, right: V2 | null, key: K) => Awaitable<unknown>;

/** Two streams joined by key and time. Kafka: `KStreamImplJoin`. */
export function joinStreams<K, V1, V2>(
  wiring: Wiring,
  streams: { readonly left: StreamParts<K, V1>; readonly right: StreamParts<K, V2> },
  kind: JoinKind,
  options: Options,
): KStream<K, unknown> {
  const { graph } = wiring;
  const operator = operatorOf(kind);
  const joiner = userFunction(options?.joiner, operator, 'function joiner') as unknown as Joiner<K, V1, V2>;
  const windows = joinWindows(options, operator);
  const { name } = options;
  const left = repartitionedForJoin(wiring, streams.left, name === undefined ? undefined : `${name}-left`);
  const right = repartitionedForJoin(wiring, streams.right, name === undefined ? undefined : `${name}-right`);
  const names = streamStreamNames(graph.names, kind, options);
  const { key } = left;
  const retentionMs = windows.sizeMs + windows.graceMs;
  const leftFormat = { store: names.leftStore, key, value: left.value, retentionMs };
  const rightFormat = { store: names.rightStore, key, value: right.value, retentionMs };
  const join: StreamStreamJoinNode<K, V1, V2, unknown> = {
    windows,
    left: leftFormat,
    right: rightFormat,
    nonJoined: names.sharedStore === null ? null : { store: names.sharedStore, bothWait: kind === 'outer' },
    joiner,
  };
  const node = graph.add({
    name: names.merge,
    parents: [left.node, right.node],
    copartitions: true,
    takesNullKeys: kind !== 'inner',
    write(builder, [leftParent = '', rightParent], { singleStoreSelfJoins }) {
      const { leftWindowed, rightWindowed, leftJoin, rightJoin, merge, sharedStore } = names;
      if (rightParent === undefined && singleStoreSelfJoins && canMeetItself(windows)) {
        const self = { windows, window: leftFormat, joiner: joiner as unknown as Joiner<K, V1, V1> };
        builder
          .addProcessor(leftWindowed, joinWindow(leftFormat), { parents: leftParent })
          .addProcessor(merge, streamSelfJoin(self), { parents: leftWindowed })
          .addStateStore(windowOf(leftFormat, windows, options), leftWindowed, merge);
        return;
      }
      builder
        .addProcessor(leftWindowed, joinWindow(leftFormat), { parents: leftParent })
        .addProcessor(rightWindowed, joinWindow(rightFormat), { parents: rightParent ?? leftParent })
        .addProcessor(leftJoin, streamStreamJoin(join, 'left', kind !== 'inner'), { parents: leftWindowed })
        .addProcessor(rightJoin, streamStreamJoin(join, 'right', kind === 'outer'), { parents: rightWindowed })
        .addProcessor(merge, passThrough<K, unknown>(), { parents: [leftJoin, rightJoin] })
        .addStateStore(windowOf(leftFormat, windows, options), leftWindowed, rightJoin)
        .addStateStore(windowOf(rightFormat, windows, options), rightWindowed, leftJoin);
      if (sharedStore === null) return;
      const serdes = { key, left: left.value, right: right.value } as Record<'key' | 'left' | 'right', Serde<unknown>>;
      builder.addStateStore(nonJoinedStore({ ...logOf(options), ...serdes, name: sharedStore }), leftJoin, rightJoin);
    },
  });
  const value: Serde<unknown> = options.value ?? nullable(streams.left.value);
  return wiring.stream({ node, key, value, keyChanged: false });
}

/** With duplicates, its changelog must not be compacted: Kafka Streams' policy, which no option changes. */
function windowOf<K, V>(
  { store: name, key, value, retentionMs }: JoinWindowFormat<K, V>,
  { sizeMs }: JoinWindows,
  options: StoreOptions,
): StoreSpec {
  return windowStore({
    name,
    key,
    value,
    retention: retentionMs,
    windowSize: sizeMs,
    retainDuplicates: true,
    inMemory: options.inMemory ?? false,
    ...logOf(options),
    changelogConfig: { ...options.changelogConfig, 'cleanup.policy': 'delete' },
  });
}

function logOf({ logged, changelogConfig }: StoreOptions): Pick<StoreOptions, 'logged' | 'changelogConfig'> {
  return {
    ...(logged === undefined ? {} : { logged }),
    ...(changelogConfig === undefined ? {} : { changelogConfig }),
  };
}
