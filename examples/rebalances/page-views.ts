/** Views of each page: one sub-topology with a store, so as many stateful tasks as the topic has partitions. */
import { defineApp, long, StreamsBuilder, string } from '../../lib/index.js';

export const views = { key: string(), value: string() };
export const counts = { key: string(), value: long() };

const builder = new StreamsBuilder();

builder.stream('views', views).groupByKey().count({ store: 'views-per-page' }).toStream().to('views-per-page');

export default defineApp({ applicationId: 'page-views', topology: builder.build() });
