/** Leases as items, and take and release as the conditions that DynamoDB checks. */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { compareTaskIds } from '../../model/task-id.js';
import type { Conditional, LeaseTable } from '../lease-store.js';
import type { Incarnation, Lease, LeaseEpoch } from '../records.js';
import { complete, count, type Item, ItemReader, json, text } from './attributes.js';
import { memberIdOf, offsetsOf, punctuationsOf, tagsOf, taskIdOf } from './json-values.js';
import type { Table, Update } from './table.js';

/** The table of leases: key `taskId`. An item that was deleted by hand is a lease that was never taken: the next take makes it. */
export function createLeaseTable(table: Table): LeaseTable {
  const write = async (update: Update): Promise<Conditional<Lease>> => {
    const { applied, item } = await table.update(update);
    if (applied) return { applied, item: leaseOf(table.name, item) };
    return { applied, item: item === null ? null : leaseOf(table.name, item) };
  };
  return {
    async listLeases() {
      const leases = (await table.list()).map((item) => leaseOf(table.name, item));
      return leases.sort((a, b) => compareTaskIds(a.taskId, b.taskId));
    },
    async readLease(taskId) {
      const item = await table.read(text(taskId));
      return item === null ? null : leaseOf(table.name, item);
    },
    takeLease: (taking) => write(take(taking)),
    releaseLease: (releasing) => write(release(releasing)),
    recordTopics: (recording) => write(recordTopics(recording)),
  };
}

/**
 * Expected absent: `attribute_not_exists(taskId)`: nobody has created it since.
 * Else `epoch` and owner are those that rule P5 was asked about: whoever took or released in between changed one of the two
 * (E1, and an owner's release), so that of all who read the same item one applies. The table adds one to the epoch (P2).
 *
 * Recorded offsets and topic ids stay (E3, E6); punctuations are the new owner's from here on (E5).
 */
function take({ taskId, owner, expected }: Parameters<LeaseTable['takeLease']>[0]): Update {
  return {
    kind: 'take',
    key: text(taskId),
    condition: expected === null ? 'attribute_not_exists(#taskId)' : `#epoch = :epoch AND ${ownerIs(expected.owner)}`,
    set: [
      '#epoch = if_not_exists(#epoch, :zero) + :one',
      '#ownerMemberId = :newMemberId',
      '#ownerIncarnation = :newIncarnation',
    ],
    remove: ['#punctuations', '#releasedAtMs'],
    values: {
      ...(expected === null ? {} : { epoch: count(expected.epoch), ...ownerValues(expected.owner) }),
      zero: count(0),
      one: count(1),
      newMemberId: text(owner.memberId),
      newIncarnation: count(owner.incarnation),
    },
  };
}

/**
 * `epoch` and owner are ours: after a take by somebody else, or by ourselves once more, an old release is refused (E2). The
 * epoch stays (P2); offsets and punctuations are replaced only by what we have (E3, E5).
 */
function release({
  taskId,
  owner,
  epoch,
  offsets,
  punctuations = [],
  releasedAtMs,
}: Parameters<LeaseTable['releaseLease']>[0]): Update {
  const keepsTimers = punctuations.length > 0;
  return {
    kind: 'release',
    key: text(taskId),
    condition: `#epoch = :epoch AND ${ownerIs(owner)}`,
    set: [
      ...(offsets === null ? [] : ['#offsets = :offsets']),
      ...(keepsTimers ? ['#punctuations = :punctuations'] : []),
      ...(releasedAtMs === undefined ? [] : ['#releasedAtMs = :releasedAtMs']),
    ],
    remove: ['#ownerMemberId', '#ownerIncarnation', ...(keepsTimers ? [] : ['#punctuations'])],
    values: {
      epoch: count(epoch),
      ...ownerValues(owner),
      ...(offsets === null ? {} : { offsets: json(offsets) }),
      ...(keepsTimers ? { punctuations: json(punctuations) } : {}),
      ...(releasedAtMs === undefined ? {} : { releasedAtMs: count(Math.floor(releasedAtMs)) }),
    },
  };
}

/** `epoch` and owner are ours: whoever took the lease from us knows better which topics its offsets are of (E6). */
function recordTopics({ taskId, owner, epoch, topicIds }: Parameters<LeaseTable['recordTopics']>[0]): Update {
  return {
    kind: 'record',
    key: text(taskId),
    condition: `#epoch = :epoch AND ${ownerIs(owner)}`,
    set: ['#topicIds = :topicIds'],
    values: { epoch: count(epoch), ...ownerValues(owner), topicIds: json(topicIds) },
  };
}

function ownerIs(owner: Incarnation | null): string {
  return owner === null
    ? 'attribute_not_exists(#ownerMemberId)'
    : '#ownerMemberId = :memberId AND #ownerIncarnation = :ownerIncarnation';
}

function ownerValues(owner: Incarnation | null): Record<string, AttributeValue> {
  return owner === null ? {} : { memberId: text(owner.memberId), ownerIncarnation: count(owner.incarnation) };
}

function leaseOf(table: string, item: Item): Lease {
  const reader = new ItemReader(table, item);
  const isOwned = reader.has('ownerMemberId') || reader.has('ownerIncarnation');
  const owner = isOwned
    ? { memberId: reader.parsed('ownerMemberId', memberIdOf), incarnation: reader.count('ownerIncarnation') }
    : null;
  return complete<Lease>({
    taskId: reader.parsed('taskId', taskIdOf),
    epoch: reader.count('epoch') as LeaseEpoch,
    owner,
    offsets: reader.has('offsets') ? reader.json('offsets', offsetsOf) : null,
    punctuations: reader.has('punctuations') ? reader.json('punctuations', punctuationsOf) : undefined,
    releasedAtMs: reader.has('releasedAtMs') ? reader.count('releasedAtMs') : undefined,
    topicIds: reader.has('topicIds') ? reader.json('topicIds', tagsOf) : undefined,
  });
}
