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

  it('merges at once while the loop waits for something else, and not a moment longer', async () => {
    const pipeline = new CommitPipeline();
    const commits = [pending(), pending()] as const;
    const merged: string[] = [];
    const news = pending();
    pipeline.begin(commits[0].promise, () => merged.push('first'));

    const waiting = pipeline.mergingMeanwhile(() => news.promise);
    commits[0].resolve();
    await settle();
    expect([pipeline.isFree, merged]).toEqual([true, ['first']]);
    news.resolve();
    await waiting;
    pipeline.begin(commits[1].promise, () => merged.push('second'));
    commits[1].resolve();
    await settle();

    expect([pipeline.isFree, merged]).toEqual([false, ['first']]);
  });

  it('keeps the error of a commit that fails while the loop waits until it is asked for', async () => {
    const pipeline = new CommitPipeline();
    const commit = pending();
    pipeline.begin(commit.promise, () => undefined);

    await pipeline.mergingMeanwhile(async () => {
      commit.reject(new Error('rejected'));
      await settle();
    });

    expect(() => pipeline.settleIfDecided()).toThrow('rejected');
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
