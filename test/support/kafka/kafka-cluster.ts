/**
 * Starts Apache Kafka for a test or a bench: one broker or three, on free ports, with their data in a temporary folder, and
 * ends them with the process that started them, however that ends.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrokerProcess } from './broker-process.js';
import { type BrokerPlace, type BrokerProperties, brokerProperties } from './broker-properties.js';
import { freePorts } from './free-ports.js';
import { kafkaClassPath } from './jars.js';
import { type ScramUser, scramRecord } from './scram-users.js';
import { Watchdog } from './watchdog.js';

export interface KafkaOptions {
  readonly brokers: 1 | 3;
  /** Settings over those of broker-properties.ts, for every broker. */
  readonly properties?: BrokerProperties;
  /** Users that may log in by SCRAM, where a listener of the properties takes it. */
  readonly scramUsers?: readonly ScramUser[];
  /** Folder for data and logs, kept at the end; default: a temporary one, removed at the end. */
  readonly dir?: string;
  /** Default: a heap of 512 MB for one broker, 384 MB for each of three, and the collector with the least overhead. */
  readonly jvmOptions?: readonly string[];
}

/** A running cluster; its brokers are numbered from 1. */
export interface KafkaCluster {
  /** `host:port` of every broker. */
  readonly brokers: readonly string[];
  /** The same, as Java clients take it: comma-separated. */
  readonly bootstrapServers: string;
  /** Where data and logs are. */
  readonly dir: string;
  /** Process id of a broker, `undefined` while it does not run. */
  pidOf(broker: number): number | undefined;
  /** What a broker has logged since the start, over its restarts. */
  logOf(broker: number): Promise<string>;
  /**
   * Sends a signal; returns when the broker has ended, or at once for a signal that does not end it.
   *
   * @param signal default: SIGKILL
   */
  kill(broker: number, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a broker that has ended, on its old port and data; returns when it takes part in the cluster. */
  restart(broker: number): Promise<void>;
  /** Ends all and removes the temporary folder. May be called twice. */
  stop(): Promise<void>;
}

const javaOptions = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=info'];

/** Starts the brokers and returns when all of them take part in the cluster. */
export async function startKafka(options: KafkaOptions): Promise<KafkaCluster> {
  const classPath = await kafkaClassPath();
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), 'millrace-kafka-')));
  await mkdir(dir, { recursive: true });
  const watchdog = new Watchdog();
  if (options.dir === undefined) watchdog.removeAtEnd(dir);

  const places = await findPlaces(dir, options.brokers);
  const heapMb = options.brokers === 1 ? 512 : 384;
  const java = [...(options.jvmOptions ?? [`-Xmx${heapMb}m`, ...javaOptions]), '-cp', classPath];
  const formatArguments = (options.scramUsers ?? []).flatMap((user) => ['--add-scram', scramRecord(user)]);
  const brokers = new Map<number, BrokerProcess>();
  for (const place of places) {
    const propertiesFile = join(dir, `broker-${place.id}.properties`);
    await writeFile(propertiesFile, brokerProperties(place, places, options.properties ?? {}));
    brokers.set(place.id, new BrokerProcess({ place, propertiesFile, formatArguments, dir, java, watchdog }));
  }

  const at = (broker: number): BrokerProcess => {
    const found = brokers.get(broker);
    if (found === undefined) throw new Error(`there is no broker ${broker}; brokers are 1 to ${options.brokers}`);
    return found;
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...brokers.values()].map((broker) => broker.kill('SIGKILL')));
    if (options.dir === undefined) await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    watchdog.close();
  };

  try {
    await Promise.all([...brokers.values()].map((broker) => broker.format()));
    await Promise.all([...brokers.values()].map((broker) => broker.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  const addresses = places.map(({ port }) => `127.0.0.1:${port}`);
  return {
    brokers: addresses,
    bootstrapServers: addresses.join(','),
    dir,
    pidOf: (broker) => at(broker).pid,
    logOf: (broker) => at(broker).log(),
    kill: (broker, signal = 'SIGKILL') => at(broker).kill(signal),
    restart: (broker) => at(broker).start(),
    stop,
  };
}

async function findPlaces(dir: string, brokers: number): Promise<BrokerPlace[]> {
  const ports = await freePorts(2 * brokers);
  return Array.from({ length: brokers }, (_, index) => ({
    id: index + 1,
    port: ports[2 * index] as number,
    controllerPort: ports[2 * index + 1] as number,
    dataFolder: join(dir, `data-${index + 1}`),
  }));
}
