/** A broker that asks for a password, and users that Kafka itself keeps (SCRAM): made with the broker, changed while it runs. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BrokerProperties } from './broker-properties.js';
import { kafkaClassPath } from './jars.js';

const run = promisify(execFile);
const toolTimeoutMs = 60_000;

const PLAIN_MODULE = 'org.apache.kafka.common.security.plain.PlainLoginModule';
const SCRAM_MODULE = 'org.apache.kafka.common.security.scram.ScramLoginModule';

export interface ScramUser {
  readonly mechanism: 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
  readonly name: string;
  readonly password: string;
}

/** The one that brokers and operators are, by PLAIN. */
export const OPERATOR = { username: 'operator', password: 'operator-secret' } as const;

/** Settings of brokers that take nobody without a password: SCRAM, and PLAIN for themselves and operators. No TLS. */
export const scramProperties: BrokerProperties = {
  'listener.security.protocol.map': 'PLAINTEXT:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT',
  'inter.broker.listener.name': 'PLAINTEXT',
  'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
  'sasl.mechanism.inter.broker.protocol': 'PLAIN',
  'listener.name.plaintext.plain.sasl.jaas.config': `${PLAIN_MODULE} required username="${OPERATOR.username}" password="${OPERATOR.password}" user_${OPERATOR.username}="${OPERATOR.password}";`,
  'listener.name.plaintext.scram-sha-256.sasl.jaas.config': `${SCRAM_MODULE} required;`,
  'listener.name.plaintext.scram-sha-512.sasl.jaas.config': `${SCRAM_MODULE} required;`,
};

/** Of a running cluster: where it is, and a folder for a tool's file. */
export interface ScramCluster {
  readonly bootstrapServers: string;
  readonly dir: string;
}

/** A user as the storage tool takes it. */
export function scramRecord({ mechanism, name, password }: ScramUser): string {
  return `${mechanism}=[name=${name},password=${password}]`;
}

/** Gives a user another password, as an operator does, by Kafka's own tool; connections that are open stay so. */
export async function setScramPassword(kafka: ScramCluster, { mechanism, name, password }: ScramUser): Promise<void> {
  const file = join(kafka.dir, 'operator.properties');
  const login = `${PLAIN_MODULE} required username="${OPERATOR.username}" password="${OPERATOR.password}";`;
  await writeFile(file, `security.protocol=SASL_PLAINTEXT\nsasl.mechanism=PLAIN\nsasl.jaas.config=${login}\n`);
  const change = ['--alter', '--entity-type', 'users', '--entity-name', name];
  const to = ['--add-config', `${mechanism}=[password=${password}]`];
  const at = ['--bootstrap-server', kafka.bootstrapServers, '--command-config', file];
  await run('java', ['-cp', await kafkaClassPath(), 'kafka.admin.ConfigCommand', ...at, ...change, ...to], {
    timeout: toolTimeoutMs,
  });
}
