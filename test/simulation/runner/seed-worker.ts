/** A process that runs one seed after the other, as its parent asks: see worker-pool.ts. It is bundled before it is started. */
import process from 'node:process';
import { runSeed } from './run-seed.js';
import type { Answer, Job } from './worker-jobs.js';

process.on('message', (job: Job) => {
  void answer(job).then((message) => process.send?.(message));
});
process.on('disconnect', () => process.exit());

async function answer(job: Job): Promise<Answer> {
  try {
    return { ok: true, result: await runSeed(job) };
  } catch (thrown) {
    return { ok: false, error: thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown) };
  }
}
