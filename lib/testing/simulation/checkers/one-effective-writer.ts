/**
 * At most one effective writer per task: leases and producer epochs order the processes that run a task, and once one that took
 * the lease later has committed, none that took it earlier commits any more. Takes are counted here: an epoch begins anew where
 * somebody deletes the row of a lease.
 *
 * The guarantee does not matter: at least once, too, outputs, state and offsets go through the task's transactional producer.
 */
import type { Conditional } from '../../../leases/lease-store.js';
import type { Lease } from '../../../leases/records.js';
import type { ProducerOptions, TransactionalProducer } from '../../../log/log.js';
import { transactionalId } from '../../../runtime/task-run.js';
import type { Effect } from '../simulated-ports.js';
import { producerKey } from '../transactions.js';
import type { Checker } from './checker.js';

interface Writer {
  readonly process: string;
  /** Which take of the lease, counted from 1, its producer was initialised under; 0: it had taken none. */
  readonly take: number;
}

export const oneEffectiveWriter: Checker = {
  name: 'one-effective-writer',
  watch({ cloud, witness, wrong }) {
    const ids = new Set(witness.map.tasks.map(({ taskId }) => transactionalId(cloud.app, taskId)));
    const writers = new WritersByLease();
    const newest = new Map<string, Writer>();
    const idOf = (taskId: string) => transactionalId(cloud.app, taskId);
    cloud.listen((effect) => writers.hear(effect, idOf), ['takeLease', 'initProducer']);
    witness.transactions.listen(({ producer, process }) => {
      const { transactionalId: id } = producer;
      if (!ids.has(id)) return wrong(`${process} commits as ${id}, which is no task's`);
      const writer = writers.of(producerKey(producer)) ?? { process, take: 0 };
      const before = newest.get(id);
      if (writer.take === 0) return wrong(`${process} commits as ${id} without having taken its lease`);
      if (before === undefined || writer.take > before.take) newest.set(id, writer);
      else if (writer.take < before.take) wrong(`${said(writer)} commits as ${id} after ${said(before)} has committed`);
      else if (writer.process !== before.process) wrong(`${said(writer)} and ${said(before)} both commit as ${id}`);
    });
    return {};
  },
};

class WritersByLease {
  private readonly takes = new Map<string, number>();
  /** By process and transactional id. */
  private readonly taken = new Map<string, number>();
  private readonly writers = new Map<string, Writer>();

  of(producer: string): Writer | undefined {
    return this.writers.get(producer);
  }

  hear(effect: Effect, idOf: (taskId: string) => string): void {
    if (!effect.ok) return;
    const { method, args, process, answer } = effect;
    if (method === 'takeLease') {
      const { applied, item } = answer as Conditional<Lease>;
      if (!applied) return;
      const id = idOf(item.taskId);
      const take = (this.takes.get(id) ?? 0) + 1;
      this.takes.set(id, take);
      this.taken.set(`${process.name} ${id}`, take);
    } else {
      const { transactionalId: id } = args[0] as ProducerOptions;
      const { producerId, epoch } = answer as TransactionalProducer;
      const take = this.taken.get(`${process.name} ${id}`) ?? 0;
      this.writers.set(producerKey({ transactionalId: id, producerId, epoch }), { process: process.name, take });
    }
  }
}

function said({ process, take }: Writer): string {
  return `${process} (take ${take} of the lease)`;
}
