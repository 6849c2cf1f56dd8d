/**
 * Runs jobs in worker processes, each of which takes the next as soon as it is free. A worker that takes too long for one job, or
 * dies of it, is replaced, and the job's result is a violation that says so.
 */
import { type ChildProcess, fork } from 'node:child_process';
import type { Answer, Job, SeedResult } from './worker-jobs.js';

export interface WorkerPoolOptions {
  /** The bundled worker. */
  readonly file: string;
  readonly workers: number;
}

interface Waiting {
  readonly job: Job;
  readonly mostMs: number;
  readonly answered: (result: SeedResult) => void;
}

/** Heap of one worker: more than this is a leak. */
const HEAP_MOST_MB = 2_000;
/** Stands for the checker where a worker did not come to an answer. */
const WORKER = 'the-worker';

export class WorkerPool {
  private readonly options: WorkerPoolOptions;
  private readonly waiting: Waiting[] = [];
  private readonly workers = new Set<Worker>();
  private isClosed = false;

  constructor(options: WorkerPoolOptions) {
    this.options = options;
  }

  /**
   * Never rejects: what goes wrong is in the result. Jobs begin in the order in which they were asked for.
   *
   * @param mostMs longest real time that it may take, in milliseconds
   */
  run(job: Job, mostMs: number): Promise<SeedResult> {
    return new Promise((answered) => {
      this.waiting.push({ job, mostMs, answered });
      this.dispatch();
    });
  }

  /** Ends every worker, whatever it does. */
  close(): void {
    this.isClosed = true;
    for (const worker of this.workers) worker.end();
    this.workers.clear();
  }

  private dispatch(): void {
    while (this.waiting.length > 0) {
      const worker = this.freeWorker();
      if (worker === null) return;
      const { job, mostMs, answered } = this.waiting.shift() as Waiting;
      void worker.run(job, mostMs).then((answer) => {
        if (worker.isGone) this.workers.delete(worker);
        answered(answer.ok ? answer.result : unfinished(job, answer.error));
        if (!this.isClosed) this.dispatch();
      });
    }
  }

  private freeWorker(): Worker | null {
    for (const worker of this.workers) if (worker.isFree) return worker;
    if (this.isClosed || this.workers.size >= this.options.workers) return null;
    const worker = new Worker(this.options);
    this.workers.add(worker);
    return worker;
  }
}

class Worker {
  isFree = true;
  isGone = false;
  private readonly child: ChildProcess;
  private stderr = '';

  constructor({ file }: WorkerPoolOptions) {
    this.child = fork(file, {
      execArgv: ['--enable-source-maps', `--max-old-space-size=${HEAP_MOST_MB}`],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    this.child.stderr?.on('data', (text: Buffer) => {
      this.stderr = `${this.stderr}${text.toString()}`.slice(-4_000);
    });
    this.child.once('exit', () => {
      this.isGone = true;
    });
  }

  run(job: Job, mostMs: number): Promise<Answer> {
    const { child } = this;
    this.isFree = false;
    return new Promise((resolve) => {
      const done = (answer: Answer) => {
        clearTimeout(tooLong);
        child.off('message', done);
        child.off('exit', died);
        this.isFree = !this.isGone;
        resolve(answer);
      };
      const fail = (why: string) => done({ ok: false, error: `seed ${job.seed} (${job.type}): ${why}` });
      const died = (code: number | null, signal: string | null) =>
        fail(`its process ended (${signal ?? `exit code ${code}`}) ${this.stderr}`);
      const tooLong = setTimeout(() => {
        child.off('exit', died);
        this.end();
        fail(`not at its end after ${mostMs} ms of real time`);
      }, mostMs);
      child.on('message', done);
      child.on('exit', died);
      child.send(job);
    });
  }

  end(): void {
    this.isGone = true;
    this.isFree = false;
    this.child.kill('SIGKILL');
  }
}

function unfinished({ seed }: Job, what: string): SeedResult {
  const none = { faultsDrawn: {}, faultsFired: {}, transitions: {}, events: {} };
  return { seed, violations: [{ checker: WORKER, what }], digest: '', lastedMs: 0, ...none };
}
