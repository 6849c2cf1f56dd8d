/** Random sequences of calls, made alike of a snapshot store and of the one in memory, which is the model. */
import fc from 'fast-check';
import { createMemorySnapshotStore } from '../../lib/snapshots/memory/memory-snapshot-store.js';
import type { SnapshotStore } from '../../lib/snapshots/snapshot-store.js';

type Call = (store: SnapshotStore) => Promise<unknown>;

interface Command {
  readonly call: Call;
  readonly label: string;
}

// Few segments, so that names meet; `-`, `.` and `0` are the neighbours of `/` in the order of bytes. No name is the folder of
// another one (lib/snapshots/object-name.ts).
const folders = fc.array(fc.constantFrom('a', 'B'), { maxLength: 2 });
const last = fc.constantFrom('a-', 'a.b', 'a0', 'b', '%2F', '_');
const name = fc.tuple(folders, last).map(([path, end]) => [...path, end].join('/'));
const bytes = fc.uint8Array({ maxLength: 12 });
const edge = fc.integer({ min: 0, max: 14 });
const cut = fc.nat({ max: 4 });

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(name, bytes)
      .map(([at, content]) => made(`create ${at} ${content}`, (store) => store.create(at, content))),
  },
  { weight: 2, arbitrary: name.map((at) => made(`read ${at}`, (store) => read(store, at))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(name, edge, edge)
      .map(([at, from, to]) => made(`read ${at} [${from}, ${to})`, (store) => read(store, at, { from, to }))),
  },
  { weight: 2, arbitrary: name.map((at) => made(`remove ${at}`, (store) => store.remove(at))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(name, cut, fc.option(name, { nil: '' }), fc.option(fc.integer({ min: 0, max: 5 }), { nil: 1_000 }))
      .map(([start, length, after, limit]) =>
        made(`list '${start.slice(0, length)}' after '${after}' limit ${limit}`, (store) =>
          list(store, start.slice(0, length), { after, limit }),
        ),
      ),
  },
);

/** A sequence of calls; its text is the sequence, for the report of a failure. */
export const commandSequences = fc.array(command, { minLength: 1, maxLength: 25 });

/** Makes the calls, and answers what each said, here and in the model. */
export async function runCommands(store: SnapshotStore, commands: readonly Command[]) {
  const model = createMemorySnapshotStore();
  const actual: string[] = [];
  const expected: string[] = [];
  for (const { label, call } of commands) {
    actual.push(`${label} → ${JSON.stringify(await call(store))}`);
    expected.push(`${label} → ${JSON.stringify(await call(model))}`);
  }
  return { actual, expected };
}

function made(label: string, call: Call): Command {
  return { label, call, [fc.toStringMethod]: () => label } as Command;
}

async function read(store: SnapshotStore, at: string, range?: { readonly from: number; readonly to: number }) {
  const found = await store.read(at, range);
  return found === null ? null : [...found];
}

async function list(store: SnapshotStore, prefix: string, options: { readonly limit: number; readonly after: string }) {
  return (await store.list(prefix, options)).map((entry) => [entry.name, entry.sizeBytes]);
}
