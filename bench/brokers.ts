/** The brokers that `KAFKA_BROKERS` names, `host:port` separated by commas. @throws {Error} if it names none */
export function brokersFromEnvironment(): string[] {
  const brokers = (process.env.KAFKA_BROKERS ?? '').split(',').filter((broker) => broker !== '');
  if (brokers.length === 0) throw new Error('KAFKA_BROKERS names no broker');
  return brokers;
}
