/** Objects that are torn, changed or gone. */
import type { Cloud } from '../cloud.js';
import { atCall } from './at-call.js';
import { early, moment } from './draw.js';
import type { Fault, FaultKind } from './fault.js';

/** Objects written in a scenario: up to some 60, none if it has little state. */
const OBJECTS_MOST = 30;
const MANIFEST = '.manifest';
const SEGMENT = '.segment';

export const snapshotTorn: FaultKind = {
  kind: 'snapshot-torn',
  about: 'the n-th segment or manifest that is written is cut off, or one of its bits is another',
  make: (chance) => ({
    kind: 'snapshot-torn',
    object: early(chance, OBJECTS_MOST),
    place: chance.next(),
    cut: chance.happens(0.5),
  }),
  activate(fault, cloud, fired) {
    const damage = atCall(
      Number(fault.object),
      ({ port, method }) => port === 'snapshots' && method === 'create',
      async ({ args }) => {
        const name = String(args[0]);
        const bytes = await cloud.snapshots.read(name);
        if (bytes === null) return;
        await cloud.snapshots.remove(name);
        await cloud.snapshots.create(name, damaged(fault, bytes));
        fired({ name, cut: fault.cut === true });
      },
    );
    return { after: damage };
  },
};

function damaged(fault: Fault, bytes: Uint8Array): Uint8Array {
  const at = Math.min(bytes.length - 1, Math.floor(bytes.length * Number(fault.place)));
  if (fault.cut === true) return bytes.subarray(0, Math.max(0, at));
  const changed = Uint8Array.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

export const snapshotLost: FaultKind = {
  kind: 'snapshot-lost',
  about: 'the newest manifest of a store, or a segment, is deleted',
  make: (chance, size) => ({
    kind: 'snapshot-lost',
    atMs: moment(chance, size),
    manifest: chance.happens(0.5),
    object: chance.below(1_000),
  }),
  activate: (fault, cloud, fired) => ({
    begin: () =>
      cloud.inBackground(
        cloud.tryUntilCalm(Number(fault.atMs), async () => {
          const name = await victim(fault, cloud);
          if (name === undefined) return false;
          await cloud.snapshots.remove(name);
          fired({ name });
          return true;
        }),
      ),
  }),
};

async function victim(fault: Fault, cloud: Cloud): Promise<string | undefined> {
  const suffix = fault.manifest === true ? MANIFEST : SEGMENT;
  const names = (await cloud.snapshots.list('')).map(({ name }) => name).filter((name) => name.endsWith(suffix));
  const newestFirst = new Map<string, string>();
  for (const name of names) {
    const store = name.split('/').slice(0, 3).join('/');
    if (!newestFirst.has(store) || fault.manifest !== true)
      newestFirst.set(fault.manifest === true ? store : name, name);
  }
  const candidates = [...newestFirst.values()];
  return candidates[Number(fault.object) % candidates.length];
}
