import { setTimeout } from 'node:timers/promises';
import type { LocalState, LocalStreams } from '../../lib/local/index.js';
import { tryOut } from '../try-out.js';
import { gpuMembers, needsGpu } from './gpu-members.js';
import labelPhotos, { counts, photos } from './label-photos.js';

/** For how long the first plan, made before any member has said what it has, may stand. */
const LOOKS_MOST = 200;
const LOOK_EVERY_MS = 50;

/** Members once each runs what the plan gives it, and all that needs a GPU is where there is one. */
async function placed(streams: Pick<LocalStreams, 'state'>): Promise<LocalState['members']> {
  for (let looks = 1; ; looks++) {
    const { members, plan } = await streams.state();
    const isPlaced = members.every(
      ({ id, tasks }) =>
        String(tasks) === String(plan?.assignment[id]?.active) && (id === 'member-2' || !tasks.some(needsGpu)),
    );
    if (isPlaced || looks === LOOKS_MOST) return members;
    await setTimeout(LOOK_EVERY_MS);
  }
}

const { updates, members } = await tryOut(labelPhotos, {
  topics: ['photos', 'label-counts'],
  settings: { members: 3 },
  assignors: [gpuMembers],
  tagsOf: ({ memberId }) => ({ gpu: memberId === 'member-2' ? 'yes' : 'no' }),
  input: (streams) =>
    streams.append('photos', photos, [
      { key: 'photo-1', value: { takenBy: 'ada', pixels: 'whiskers and paws' } },
      { key: 'photo-2', value: { takenBy: 'bob', pixels: 'a bicycle' } },
      { key: 'photo-3', value: { takenBy: 'ada', pixels: 'more whiskers' } },
    ]),
  output: async (streams) => ({
    updates: await streams.read('label-counts', counts),
    members: await placed(streams),
  }),
});

for (const { id, tasks } of members) console.log(`${id} runs ${tasks.join(', ')}`);
for (const { key, value } of updates) console.log(`${key}: ${value}`);
