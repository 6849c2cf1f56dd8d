import { expect, test } from 'vitest';
import { InvalidSettingError, TopologyError } from '../../../lib/model/errors.js';
import { string } from '../../../lib/serde/string-serde.js';
import { defineApp } from '../../../lib/topology/app.js';
import { internalTopicSpecs } from '../../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import type { StoreSpec } from '../../../lib/topology/store-spec.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';
import { sessionStore, versionedStore, windowStore } from '../../../lib/topology/windowed-stores.js';

const serdes = { key: string(), value: string() };

function changelogConfig(store: StoreSpec): Readonly<Record<string, string>> | undefined {
  const builder = new TopologyBuilder()
    .addSource('in', 'in', serdes)
    .addProcessor('p', () => ({ process: () => undefined }), { parents: 'in' })
    .addStateStore(store, 'p');
  const app = defineApp({ applicationId: 'app', topology: builder.build() });
  return internalTopicSpecs(app, resolvePartitions(app, new Map([['in', 1]])))[0]?.config;
}

test("changelogs of windows and sessions are compacted, and deleted a day after the store's retention", () => {
  const config = {
    'cleanup.policy': 'compact,delete',
    'message.timestamp.type': 'CreateTime',
    'retention.ms': '90000000',
  };

  expect(changelogConfig(windowStore({ ...serdes, name: 'w', retention: '1h', windowSize: '5m' }))).toEqual(config);
  expect(changelogConfig(sessionStore({ ...serdes, name: 's', retention: '1h' }))).toEqual(config);
});

test('changelogs of versions are compacted no sooner than a day after the history retention', () => {
  expect(changelogConfig(versionedStore({ ...serdes, name: 'v', historyRetention: '2h' }))).toEqual({
    'cleanup.policy': 'compact',
    'message.timestamp.type': 'CreateTime',
    'min.compaction.lag.ms': '93600000',
  });
});

test("a user's changelog settings win", () => {
  const changelogConfig_ = { 'retention.ms': '-1' };
  const store = sessionStore({ ...serdes, name: 's', retention: '1h', changelogConfig: changelogConfig_ });

  expect(changelogConfig(store)).toMatchObject({ 'cleanup.policy': 'compact,delete', 'retention.ms': '-1' });
});

test('a window store that keeps windows for less than their size is refused', () => {
  expect(() => windowStore({ ...serdes, name: 'w', retention: '1m', windowSize: '5m' })).toThrow(TopologyError);
});

test('a retention that is no duration is refused by the name of the store', () => {
  expect(() => sessionStore({ ...serdes, name: 's', retention: -1 })).toThrow(InvalidSettingError);
  expect(() => versionedStore({ ...serdes, name: 'v', historyRetention: 'soon' as never })).toThrow(/'v'/);
});
