/**
 * A table joined with another by a key that its rows name (KIP-213). Kafka: `KTableImpl.doJoinOnForeignKey`.
 *
 * ```
 *   left ─ subscribe ─▶ registration topic ─▶ receive ─ answer ─┐
 *     │                                          │ (store)      ├─▶ response topic ─▶ resolve ─ result
 *     └──────────────── looked up by resolve     right ─ tell ──┘
 * ```
 * The left table's tasks subscribe to foreign keys; the right table's tasks, which own those, note that and answer now and at each change.
 * The tables need not have one number of partitions.
 */
import type { Awaitable } from '../../model/awaitable.js';
import { bytes } from '../../serde/bytes-serde.js';
import { nullable } from '../../serde/nullable-serde.js';
import type { Serde } from '../../serde/serde.js';
import { enginePartitioner } from '../../topology/partitioner-names.js';
import { timestampedKeyValueStore } from '../../topology/stores.js';
import { answerSubscriptions, receiveSubscriptions, tellSubscribers } from '../foreign-key/receive.js';
import { resolveResponses } from '../foreign-key/resolve.js';
import { subscribe } from '../foreign-key/subscribe.js';
import { responseSerde, type SubscriptionResponse, subscriptionSerde } from '../foreign-key/subscription.js';
import { keptOnDemand } from '../kept-on-demand.js';
import { PREFIX } from '../names.js';
import type { PairJoiner } from '../operators/table-table-join.js';
import type { KTable } from '../streams.js';
import type { TableParts, Wiring } from '../wiring.js';
import type { AnyForeignKeyJoin } from './join-options.js';

const TOPIC_SUFFIX = '-topic';

export interface ForeignKeyRequest<K, V, KO, VO, VR> {
  readonly isLeft: boolean;
  readonly foreignKey: (value: V, key: K) => Awaitable<KO | null>;
  readonly joiner: PairJoiner<K, V, VO, VR>;
  readonly options: AnyForeignKeyJoin;
}

export function joinByForeignKey<K, V, KO, VO, VR>(
  wiring: Wiring,
  left: TableParts<K, V>,
  right: TableParts<KO, VO>,
  request: ForeignKeyRequest<K, V, KO, VO, VR>,
): KTable<K, VR> {
  const { graph } = wiring;
  const { options, isLeft } = request;
  right.sendOldValues(true);
  left.sendOldValues(true);
  const names = foreignKeyNames(wiring, options);
  const subscriptions = subscriptionSerde(left.key);
  const responses = responseSerde(right.value);
  const foreignKeys = nullable(right.key);
  const format = { store: names.store, key: bytes(), value: subscriptions };
  const store = { format, foreignKey: right.key, primaryKey: left.key };

  const registration = graph.add({
    name: names.registrationSource,
    parents: [left.node],
    source: names.registrationSource,
    write(builder, parents) {
      const { foreignKey } = request;
      const supplier = subscribe({
        foreignKey,
        keySerde: left.key,
        foreignKeySerde: right.key,
        valueSerde: left.value,
        isLeft,
        isVersioned: left.isVersioned === true,
      });
      const partitioner = options.otherPartitioner;
      builder
        .addRepartitionTopic(names.registrationTopic)
        .addProcessor(names.subscribe, supplier, { parents })
        .addSink(names.registrationSink, names.registrationTopic, {
          parents: names.subscribe,
          key: foreignKeys,
          value: subscriptions,
          ...(partitioner === undefined ? {} : { partitioner }),
        })
        .addSource(names.registrationSource, names.registrationTopic, { key: foreignKeys, value: subscriptions });
    },
  });

  const spec = timestampedKeyValueStore({ name: names.store, key: bytes(), value: subscriptions });
  const rightView = right.view();
  const answer = graph.add({
    name: names.answer,
    parents: [registration],
    lookups: [right.node],
    copartitions: true,
    write(builder, parents) {
      builder
        .addProcessor(names.receive, receiveSubscriptions(store), { parents })
        .addStateStore(spec, names.receive)
        .addProcessor(names.answer, answerSubscriptions<K, KO, VO>(rightView), {
          parents: names.receive,
          stores: rightView.stores,
        });
    },
  });

  const tell = graph.add({
    name: names.tell,
    parents: [right.node],
    write(builder, parents) {
      const supplier = tellSubscribers<K, KO, VO>({ ...store, isVersioned: right.isVersioned === true });
      // It may be written before the other side, where that waits for a topic that a later operator shares.
      builder.addProcessor(names.tell, supplier, { parents }).addStateStore(spec, names.tell);
    },
  });

  const response = graph.add({
    name: names.responseSource,
    parents: [answer, tell],
    source: names.responseSource,
    write(builder, parents) {
      const partitioner = options.partitioner ?? partitionOfResponse;
      builder
        .addRepartitionTopic(names.responseTopic)
        .addSink(names.responseSink, names.responseTopic, { parents, key: left.key, value: responses, partitioner })
        .addSource(names.responseSource, names.responseTopic, { key: left.key, value: responses });
    },
  });

  const leftView = left.view();
  const resolve = graph.add({
    name: names.resolve,
    parents: [response],
    lookups: [left.node],
    copartitions: true,
    write(builder, parents) {
      const { joiner } = request;
      const supplier = resolveResponses<K, V, VO, VR>({ view: leftView, valueSerde: left.value, isLeft, joiner });
      builder.addProcessor(names.resolve, supplier, { parents, stores: leftView.stores });
    },
  });

  const value = (options.value ?? nullable(left.value)) as Serde<VR>;
  const result = { name: names.result, parents: [resolve], store: names.resultStore, key: left.key, value, options };
  return keptOnDemand(wiring, result);
}

/** A response goes to the partition from which the subscription came. */
const partitionOfResponse = enginePartitioner(
  (_topic, _key, response) => (response as SubscriptionResponse<unknown>).primaryPartition ?? undefined,
);

/** In the order in which Kafka Streams takes numbers. */
function foreignKeyNames({ graph: { names } }: Wiring, { name, store }: AnyForeignKeyJoin) {
  const made = (suffix: string, prefix: string) => names.suffixedOrGenerated(name, suffix, prefix);
  return {
    registrationTopic: made('-subscription-registration', PREFIX.registration) + TOPIC_SUFFIX,
    subscribe: made('-subscription-registration-processor', PREFIX.registration),
    registrationSink: made('-subscription-registration-sink', PREFIX.tableSink),
    registrationSource: made('-subscription-registration-source', PREFIX.tableSource),
    store: made('-subscription-store', PREFIX.subscriptionStore),
    receive: made('-subscription-receive', PREFIX.subscription),
    answer: made('-subscription-join-foreign', PREFIX.subscription),
    tell: made('-foreign-join-subscription', PREFIX.subscription),
    responseTopic: made('-subscription-response', PREFIX.response) + TOPIC_SUFFIX,
    responseSink: made('-subscription-response-sink', PREFIX.tableSink),
    responseSource: made('-subscription-response-source', PREFIX.tableSource),
    resolve: made('-subscription-response-resolver', PREFIX.responseResolver),
    result: made('-result', PREFIX.foreignKeyResult),
    resultStore: store ?? names.store(PREFIX.foreignKeyResult),
  };
}
