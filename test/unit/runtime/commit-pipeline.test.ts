import { describe, expect, it } from 'vitest';
import { CommitPipeline } from '../../../lib/runtime/commit-pipeline.js';
import { settle } from '../../support/test-host.js';

function pending() {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

describe('the commit pipeline', () => {
  it('is not free while a commit is in flight, and merges only when asked after it was decided', async () => {
    const pipeline = new CommitPipeline();
    const commit = pending();
    const merged: string[] = [];
    pipeline.begin(commit.promise, () => merged.push('first'));

    pipeline.settleIfDecided();
    expect([pipeline.isFree, merged]).toEqual([false, []]);
    commit.resolve();
    await settle();
    expect([pipeline.isFree, merged]).toEqual([false, []]);
    pipeline.settleIfDecided();

    expect([pipeline.isFree, merged]).toEqual([true, ['first']]);
  });

  it('throws the error of a failed commit, merges nothing, and never becomes free again', async () => {
    const pipeline = new CommitPipeline();
    const commit = pending();
    const merged: string[] = [];
    pipeline.begin(commit.promise, () => merged.push('never'));

    commit.reject(new Error('rejected'));

    await expect(pipeline.settle()).rejects.toThrow('rejected');
    expect(() => pipeline.settleIfDecided()).toThrow('rejected');
    expect([pipeline.isFree, merged]).toEqual([false, []]);
  });

  it('waits for the decision without merging', async () => {
    const pipeline = new CommitPipeline();
    const commit = pending();
    const merged: string[] = [];
    pipeline.begin(commit.promise, () => merged.push('late'));
    const decided = pipeline.decided();

    commit.resolve();
    await decided;

    expect(merged).toEqual([]);
  });
});
