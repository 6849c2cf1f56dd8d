/** Photos are labelled by a model that runs on some machines only; how often each label was given is counted anywhere. */
import { defineApp, json, StreamsBuilder, string } from '../../lib/index.js';

export interface Photo {
  readonly takenBy: string;
  readonly pixels: string;
}

export const photos = { key: string(), value: json<Photo>() };
export const counts = { key: string(), value: json<number>() };

/** What the model answers. */
export const labelOf = ({ pixels }: Photo): string => (pixels.includes('whiskers') ? 'cat' : 'no cat');

const builder = new StreamsBuilder();

builder
  .stream('photos', photos)
  .groupBy((_, photo) => labelOf(photo), { name: 'by-label' })
  .aggregate({ init: () => 0, add: (_, __, count) => count + 1, value: counts.value, store: 'labels' })
  .toStream()
  .to('label-counts');

export default defineApp({
  applicationId: 'label-photos',
  topology: builder.build(),
  settings: { assignor: 'gpu-members' },
});
