/** Settings of one broker, by Kafka's names. */
export type BrokerProperties = Readonly<Record<string, string | number>>;

/** Where one broker listens. */
export interface BrokerPlace {
  readonly id: number;
  readonly port: number;
  readonly controllerPort: number;
  readonly dataFolder: string;
}

/**
 * The settings of a broker (and controller) of a small cluster on this machine: internal topics of four partitions, replicated
 * over all brokers; no topic by accident; cleaner and transaction time-outs looked after at once instead of every ten seconds.
 *
 * @param extra override these
 */
export function brokerProperties(place: BrokerPlace, all: readonly BrokerPlace[], extra: BrokerProperties): string {
  const replicas = all.length;
  const minInSync = replicas > 1 ? 2 : 1;
  const properties: BrokerProperties = {
    'process.roles': 'broker,controller',
    'node.id': place.id,
    'controller.quorum.voters': all.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`).join(','),
    listeners: `PLAINTEXT://127.0.0.1:${place.port},CONTROLLER://127.0.0.1:${place.controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${place.port}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
    'log.dirs': place.dataFolder,
    'auto.create.topics.enable': 'false',
    'default.replication.factor': replicas,
    'min.insync.replicas': minInSync,
    'offsets.topic.replication.factor': replicas,
    'offsets.topic.num.partitions': 4,
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': minInSync,
    'transaction.state.log.num.partitions': 4,
    'group.initial.rebalance.delay.ms': 0,
    'broker.heartbeat.interval.ms': 500,
    'broker.session.timeout.ms': 4_000,
    'log.cleaner.backoff.ms': 500,
    'log.initial.task.delay.ms': 1_000,
    'log.retention.check.interval.ms': 1_000,
    'transaction.abort.timed.out.transaction.cleanup.interval.ms': 500,
    ...extra,
  };
  return Object.entries(properties)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}
