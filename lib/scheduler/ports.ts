import type { Host } from '../host/host.js';
import type { Invoker } from '../invoke/invoker.js';
import type { LeaseStore } from '../leases/lease-store.js';
import type { LogReader, OffsetStore, TopicAdmin } from '../log/log.js';

/** What the scheduler reaches the outside through: it reads no records, produces none and takes no lease. */
export interface SchedulerPorts {
  readonly log: Pick<TopicAdmin, 'describeTopics' | 'listTopics' | 'createTopic'> &
    Pick<LogReader, 'listOffsets'> &
    Pick<OffsetStore, 'committedOffsets'>;
  readonly leases: LeaseStore;
  readonly invoker: Invoker;
  readonly host: Pick<Host, 'clock' | 'logger' | 'metrics' | 'digest'>;
}
