/**
 * Payloads come from outside: each is checked field by field before anything looks at it. Fields that are not known are left
 * out, so that a newer sender may say more.
 */
import { InvalidPayloadError } from '../model/errors.js';
import { type Offset, offset } from '../model/offset.js';
import { parseTaskId } from '../model/task-id.js';
import type { AdvanceSnapshots, Doorbell, FunctionName, Payload, PayloadOf, RunMember, Tick } from './payloads.js';

/** Entries of a list in a payload; AWS allows 256 KB in all. */
const MAX_ENTRIES = 10_000;

type Fields = Readonly<Record<string, unknown>>;

const TYPES_OF: { readonly [F in FunctionName]: readonly PayloadOf[F]['type'][] } = {
  task: ['run-member', 'doorbell'],
  standby: ['advance-snapshots'],
  scheduler: ['tick'],
};

const DECODERS: Readonly<Record<Payload['type'], (fields: Fields) => Payload>> = {
  'run-member': runMember,
  doorbell,
  'advance-snapshots': advanceSnapshots,
  tick,
};

/**
 * Checks what a function was invoked with. Whether it has expired is another question: {@link isExpired}.
 *
 * @param target the function that was invoked: each takes its own types only
 * @throws {InvalidPayloadError} STREAMS_INVALID_PAYLOAD naming the field, with `field` and `value` in the details
 */
export function decodePayload<F extends FunctionName>(target: F, payload: unknown): PayloadOf[F] {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) {
    throw refused('', payload, 'an object is wanted');
  }
  const fields = payload as Fields;
  const types: readonly string[] = TYPES_OF[target];
  const type = fields.type;
  if (typeof type !== 'string' || !types.includes(type)) throw refused('type', type, `${types.join(' or ')} is wanted`);
  return DECODERS[type as PayloadOf[F]['type']](fields) as PayloadOf[F];
}

/**
 * How far the wall clocks of who invokes and who is invoked may be apart, in milliseconds. An expiry is the one place where two machines'
 * clocks meet: without this a machine whose clock is wrong by more than a session time-out would never get a member to run, or never be one.
 * Who comes later by as much does no harm, for a slot is claimed by the number of its next incarnation.
 */
export const CLOCK_TOLERANCE_MS = 30_000;

/** Whether a payload must be ignored: events can be retried for hours. */
export function isExpired(payload: Payload, nowMs: number): boolean {
  return nowMs > payload.expiresAtMs + CLOCK_TOLERANCE_MS;
}

function runMember(fields: Fields): RunMember {
  const others = fields.others === undefined ? [] : list(fields, 'others').map(otherSlot);
  return {
    type: 'run-member',
    ...expiring(fields),
    ...slotIncarnation(fields),
    ...(others.length > 0 && { others }),
  };
}

function otherSlot(entry: unknown, index: number): Pick<RunMember, 'memberId' | 'incarnation'> {
  const at = `others[${index}]`;
  if (typeof entry !== 'object' || entry === null) throw refused(at, entry, 'an object is wanted');
  return slotIncarnation(entry as Fields, at);
}

function slotIncarnation(fields: Fields, at = ''): Pick<RunMember, 'memberId' | 'incarnation'> {
  const memberId = text(fields, 'memberId', at);
  if (!/^member-\d{1,9}$/.test(memberId)) throw refused(join(at, 'memberId'), memberId, "'member-<number>' is wanted");
  return { memberId: memberId as RunMember['memberId'], incarnation: integer(fields, 'incarnation', 1, at) };
}

function doorbell(fields: Fields): Doorbell {
  const partitions = list(fields, 'partitions').map((entry, index) => {
    const at = `partitions[${index}]`;
    if (typeof entry !== 'object' || entry === null) throw refused(at, entry, 'an object is wanted');
    const inner = entry as Fields;
    return {
      topic: text(inner, 'topic', at),
      partition: integer(inner, 'partition', 0, at),
      toOffset: offsetOrNull(inner, 'toOffset', at),
    };
  });
  return { type: 'doorbell', ...expiring(fields), partitions };
}

function advanceSnapshots(fields: Fields): AdvanceSnapshots {
  const taskIds = list(fields, 'taskIds').map((entry, index) => {
    const field = `taskIds[${index}]`;
    if (typeof entry !== 'string') throw refused(field, entry, 'a text is wanted');
    try {
      return parseTaskId(entry).id;
    } catch (cause) {
      throw refused(field, entry, "a task id such as '0_3' is wanted", cause);
    }
  });
  return { type: 'advance-snapshots', ...expiring(fields), taskIds };
}

function tick(fields: Fields): Tick {
  const whileMembers = flag(fields, 'whileMembers');
  const resume = flag(fields, 'resume');
  return {
    type: 'tick',
    ...expiring(fields),
    reason: text(fields, 'reason'),
    ...(whileMembers && { whileMembers }),
    ...(resume && { resume }),
  };
}

function expiring(fields: Fields): { readonly applicationId: string; readonly expiresAtMs: number } {
  return { applicationId: text(fields, 'applicationId'), expiresAtMs: integer(fields, 'expiresAtMs', 0) };
}

function text(fields: Fields, name: string, at = ''): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw refused(join(at, name), value, 'a text is wanted');
  return value;
}

function integer(fields: Fields, name: string, min: number, at = ''): number {
  const value = fields[name];
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < min) {
    throw refused(join(at, name), value, `a whole number from ${min} is wanted`);
  }
  return value;
}

/** False if it is absent. */
function flag(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false;
  if (typeof value !== 'boolean') throw refused(name, value, 'true or false is wanted');
  return value;
}

function offsetOrNull(fields: Fields, name: string, at: string): Offset | null {
  return fields[name] === null ? null : offset(integer(fields, name, 0, at));
}

function list(fields: Fields, name: string): readonly unknown[] {
  const value = fields[name];
  if (!Array.isArray(value) || value.length > MAX_ENTRIES) {
    throw refused(name, value, `a list of at most ${MAX_ENTRIES} is wanted`);
  }
  return value;
}

const join = (at: string, name: string): string => (at === '' ? name : `${at}.${name}`);

function refused(field: string, value: unknown, wanted: string, cause?: unknown): InvalidPayloadError {
  const what = field === '' ? 'the payload' : `the payload's field ${field}`;
  return new InvalidPayloadError(`${what} is wrong: ${wanted}`, { cause, details: { field, value } });
}
