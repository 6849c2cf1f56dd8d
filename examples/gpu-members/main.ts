import { tryOut } from '../try-out.js';
import { gpuMembers } from './gpu-members.js';
import labelPhotos, { counts, photos } from './label-photos.js';

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
    members: (await streams.state()).members,
  }),
});

for (const { id, tasks } of members) console.log(`${id} runs ${tasks.join(', ')}`);
for (const { key, value } of updates) console.log(`${key}: ${value}`);
