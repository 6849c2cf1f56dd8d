import type { Log, TransactionalProducer } from '../../../lib/log/log.js';

/**
 * A log on which this process can stop itself (SIGSTOP) between the records and the end of a transaction. When somebody
 * continues it, the next thing it does is to ask the broker for the commit: a zombie at its most dangerous.
 */
export class StopsInCommit {
  readonly log: Log;
  atNextCommit = false;

  constructor(log: Log) {
    const initProducer: Log['initProducer'] = async (options) => this.stopping(await log.initProducer(options));
    this.log = new Proxy(log, {
      get: (target, property) => {
        if (property === 'initProducer') return initProducer;
        const member: unknown = Reflect.get(target, property, target);
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
  }

  private stopping(producer: TransactionalProducer): TransactionalProducer {
    return {
      producerId: producer.producerId,
      epoch: producer.epoch,
      send: (to, records) => producer.send(to, records),
      sendOffsets: (groupId, offsets) => producer.sendOffsets(groupId, offsets),
      commit: () => {
        if (this.atNextCommit) {
          this.atNextCommit = false;
          process.kill(process.pid, 'SIGSTOP');
        }
        return producer.commit();
      },
      abort: () => producer.abort(),
      close: () => producer.close(),
    };
  }
}
