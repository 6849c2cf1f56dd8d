import { describe, expect, it } from 'vitest';
import { MissingSourceTopicError, NotCopartitionedError, TopologyError } from '../../../lib/model/errors.js';
import { string } from '../../../lib/serde/string-serde.js';
import { defineApp } from '../../../lib/topology/app.js';
import { internalTopicSpecs } from '../../../lib/topology/internal-topic-specs.js';
import { resolvePartitions } from '../../../lib/topology/resolve-partitions.js';
import { keyValueStore } from '../../../lib/topology/stores.js';
import { TopologyBuilder } from '../../../lib/topology/topology-builder.js';

const text = { key: string(), value: string() };
const nothing = () => ({ process: () => undefined });
const appOf = (builder: TopologyBuilder) => defineApp({ applicationId: 'app', topology: builder.build() });
const counts = (of: Record<string, number>) => new Map(Object.entries(of));

/** in → rep (a repartition topic) → next. */
function chain(partitions?: number): TopologyBuilder {
  return new TopologyBuilder()
    .addSource('source', 'in', text)
    .addRepartitionTopic('rep', partitions)
    .addSink('sink', 'rep', { ...text, parents: 'source' })
    .addSource('next', 'rep', text);
}

describe('partition counts', () => {
  it('names all source topics that do not exist', () => {
    const app = appOf(chain().addSource('b', 'b', text).addSource('a', 'a', text));

    const resolve = () => resolvePartitions(app, counts({ in: 1 }));

    expect(resolve).toThrow(MissingSourceTopicError);
    expect(resolve).toThrow('a, b');
  });

  it('does not take a repartition topic that exists for its own count', () => {
    const resolved = resolvePartitions(appOf(chain()), counts({ in: 3, 'app-rep-repartition': 9, 'app-rep': 9 }));

    expect(resolved.repartitionTopics).toEqual(counts({ 'app-rep': 3 }));
  });

  it('follows circles of repartition topics to the greatest count that leads into them', () => {
    const builder = chain()
      .addRepartitionTopic('back')
      .addSink('to-back', 'back', { ...text, parents: 'next' })
      .addSource('from-back', 'back', text)
      .addSink('again', 'rep', { ...text, parents: 'from-back' })
      .addSource('more', 'more', text)
      .addProcessor('join', nothing, { parents: ['from-back', 'more'] });

    const resolved = resolvePartitions(appOf(builder), counts({ in: 2, more: 7 }));

    expect(resolved.repartitionTopics).toEqual(counts({ 'app-rep': 7, 'app-back': 7 }));
  });

  it('refuses a repartition topic that no source topic leads to', () => {
    const builder = new TopologyBuilder()
      .addSource('source', 'rep', text)
      .addRepartitionTopic('rep')
      .addSink('sink', 'rep', { ...text, parents: 'source' });

    expect(() => resolvePartitions(appOf(builder), counts({}))).toThrow(TopologyError);
  });
});

describe('co-partitioned topics', () => {
  it('must agree: the error names both topics and counts, though there is no repartition topic (trap 34)', () => {
    const builder = new TopologyBuilder()
      .addSource('l', 'left', text)
      .addSource('r', 'right', text)
      .copartitionSources('l', 'r');

    const resolve = () => resolvePartitions(appOf(builder), counts({ left: 4, right: 6 }));

    expect(resolve).toThrow(NotCopartitionedError);
    expect(resolve).toThrow('left has 4, right has 6');
  });

  it('give their count to a repartition topic beside them', () => {
    const builder = chain().addSource('r', 'right', text).copartitionSources('next', 'r');

    expect(resolvePartitions(appOf(builder), counts({ in: 8, right: 3 })).repartitionTopics).toEqual(
      counts({ 'app-rep': 3 }),
    );
  });

  it('refuse an explicit count that differs', () => {
    const builder = chain(5).addSource('r', 'right', text).copartitionSources('next', 'r');

    expect(() => resolvePartitions(appOf(builder), counts({ in: 8, right: 3 }))).toThrow('app-rep has 5');
  });

  it('follow the explicit count if all are repartition topics', () => {
    const builder = chain(5)
      .addRepartitionTopic('other')
      .addSink('to-other', 'other', { ...text, parents: 'source' })
      .addSource('from-other', 'other', text)
      .copartitionSources('next', 'from-other');

    expect(resolvePartitions(appOf(builder), counts({ in: 8 })).repartitionTopics).toEqual(
      counts({ 'app-rep': 5, 'app-other': 5 }),
    );
  });
});

describe('tasks and topics', () => {
  const stored = chain(2)
    .addProcessor('step', nothing, { parents: 'next' })
    .addStateStore(keyValueStore({ name: 's', ...text, changelogConfig: { 'segment.ms': '1000' } }), 'step');

  it('has one task for each partition read, stateful if it has a changelog', () => {
    const { tasks, taskCounts } = resolvePartitions(appOf(stored), counts({ in: 1 }));

    expect(taskCounts).toEqual([1, 2]);
    expect(tasks.map(({ taskId, stateful }) => [taskId, stateful])).toEqual([
      ['0_0', false],
      ['1_0', true],
      ['1_1', true],
    ]);
    expect(tasks[2]?.changelogs).toEqual([{ store: 's', topic: 'app-s-changelog', partition: 1, internal: true }]);
  });

  it("lets a store override its changelog's settings and an application the replication factor", () => {
    const app = defineApp({ applicationId: 'app', topology: stored.build(), settings: { replicationFactor: 3 } });

    const specs = internalTopicSpecs(app, resolvePartitions(app, counts({ in: 1 })));

    expect(specs.map(({ name, replicationFactor }) => [name, replicationFactor])).toEqual([
      ['app-rep', 3],
      ['app-s-changelog', 3],
    ]);
    expect(specs[1]?.config).toEqual({
      'cleanup.policy': 'compact',
      'message.timestamp.type': 'CreateTime',
      'segment.ms': '1000',
    });
  });

  it('leaves the replication factor to the broker by default', () => {
    const app = appOf(stored);

    for (const spec of internalTopicSpecs(app, resolvePartitions(app, counts({ in: 1 })))) {
      expect(spec).not.toHaveProperty('replicationFactor');
    }
  });
});
