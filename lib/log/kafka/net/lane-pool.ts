/** The lanes to one broker: idle ones are used again, the last used first, so that what is not needed grows old and goes. */
import { ConnectionFailure } from '../failures.js';
import type { Lane } from './lane.js';

/** Lanes to one broker at a time; who comes then waits for one. */
export const MAX_LANES = 64;
/** Who may wait for a lane at a time. */
export const MAX_WAITING = 1_024;
/** Idle lanes kept. */
export const MAX_IDLE_LANES = 16;
/** A lane that was idle for longer is not used again: brokers close it after ten minutes. Kafka: `connections.max.idle.ms`. */
export const MAX_IDLE_MS = 540_000;

export interface LanePoolOptions {
  readonly address: string;
  readonly open: () => Promise<Lane>;
  readonly nowMs: () => number;
}

export class LanePool {
  private readonly options: LanePoolOptions;
  private readonly idle: Lane[] = [];
  private readonly waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  private taken = 0;
  private closed = false;

  constructor(options: LanePoolOptions) {
    this.options = options;
  }

  /** A lane for one request; give it back by `release`. @throws {ConnectionFailure} */
  async take(): Promise<Lane> {
    await this.turn();
    try {
      return this.idleLane() ?? (await this.newLane());
    } catch (error) {
      this.leave();
      throw error;
    }
  }

  release(lane: Lane): void {
    lane.lastUsedMs = this.options.nowMs();
    if (lane.isUsable && !this.closed && this.idle.length < MAX_IDLE_LANES) this.idle.push(lane);
    else lane.destroy();
    this.dropOld();
    this.leave();
  }

  /** After a connection broke: the idle ones to the same broker are likely dead too. */
  dropIdle(): void {
    for (const lane of this.idle.splice(0)) lane.destroy();
  }

  close(): void {
    this.closed = true;
    this.dropIdle();
    for (const { reject } of this.waiting.splice(0)) reject(this.failure('the log is closed'));
  }

  private async turn(): Promise<void> {
    if (this.closed) throw this.failure('the log is closed');
    if (this.taken < MAX_LANES) {
      this.taken += 1;
      return;
    }
    if (this.waiting.length >= MAX_WAITING) throw this.failure(`${MAX_WAITING} requests wait for a connection`);
    // The turn of the one who leaves is handed over: `taken` stays as it is.
    await new Promise<void>((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private leave(): void {
    const next = this.waiting.shift();
    if (next === undefined) this.taken -= 1;
    else next.resolve();
  }

  private idleLane(): Lane | undefined {
    this.dropOld();
    for (let lane = this.idle.pop(); lane !== undefined; lane = this.idle.pop()) {
      if (lane.isUsable) return lane;
      lane.destroy();
    }
    return undefined;
  }

  private async newLane(): Promise<Lane> {
    const lane = await this.options.open();
    if (!this.closed) return lane;
    lane.destroy();
    throw this.failure('the log is closed');
  }

  private dropOld(): void {
    const bestBefore = this.options.nowMs() - MAX_IDLE_MS;
    while (this.idle[0] !== undefined && this.idle[0].lastUsedMs < bestBefore) this.idle.shift()?.destroy();
  }

  private failure(why: string): ConnectionFailure {
    return new ConnectionFailure(`${this.options.address}: ${why}`, { maybeSent: false });
  }
}
