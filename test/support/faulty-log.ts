import type { Log, TransactionalProducer } from '../../lib/log/log.js';
import type { RuntimePorts } from '../../lib/runtime/ports.js';

/** What happens instead of a commit; call `commit` to let it take effect. */
export type CommitFault = (commit: () => Promise<void>) => Promise<void>;

/** Ports whose commits go through `fault`, which is asked anew for each: null lets it pass. */
export function withCommitFaults(ports: RuntimePorts, fault: () => CommitFault | null): RuntimePorts {
  return { ...ports, log: withProducers(ports.log, (producer) => withCommit(producer, fault)) };
}

function withProducers(log: Log, wrap: (producer: TransactionalProducer) => TransactionalProducer): Log {
  const initProducer: Log['initProducer'] = async (options) => wrap(await log.initProducer(options));
  return new Proxy(log, {
    get(target, property) {
      if (property === 'initProducer') return initProducer;
      const member: unknown = Reflect.get(target, property);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function withCommit(producer: TransactionalProducer, fault: () => CommitFault | null): TransactionalProducer {
  const { producerId, epoch } = producer;
  return {
    producerId,
    epoch,
    send: (to, records) => producer.send(to, records),
    sendOffsets: (groupId, offsets) => producer.sendOffsets(groupId, offsets),
    commit: () => {
      const instead = fault();
      return instead === null ? producer.commit() : instead(() => producer.commit());
    },
    abort: () => producer.abort(),
    close: () => producer.close(),
  };
}
