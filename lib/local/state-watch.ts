/** Keeps an embedded application's state in line with its tables and with what its members tell of their tasks. */
import type { Logger } from '../host/host.js';
import type { LeaseStore } from '../leases/lease-store.js';
import { asStreamsError } from '../model/errors.js';
import type { TaskId } from '../model/task-id.js';
import type { StreamsApp } from '../topology/app.js';
import type { StreamsListeners, TaskState } from '../topology/listeners.js';
import { isSettled } from './is-settled.js';
import { type StateListener, StateMachine, type StreamsState } from './streams-state.js';

export interface StateWatchInit {
  readonly leases: LeaseStore;
  readonly logger: Logger;
  readonly listener: StateListener | undefined;
  /** Whether members run in this process, and tell of their tasks. */
  readonly hearsTasks: boolean;
}

export class StateWatch {
  private readonly init: StateWatchInit;
  private readonly machine: StateMachine;
  private readonly states = new Map<TaskId, TaskState>();
  private looking: Promise<void> | null = null;
  private again = false;

  constructor(init: StateWatchInit) {
    this.init = init;
    this.machine = new StateMachine((state, before) => this.tell(state, before));
  }

  get current(): StreamsState {
    return this.machine.current;
  }

  enter(next: StreamsState): boolean {
    return this.machine.enter(next);
  }

  /** The application, with this watch among its listeners. */
  listeningTo(app: StreamsApp): StreamsApp {
    const own = app.listeners;
    const listeners: StreamsListeners = {
      ...(own?.onRestoreStart && { onRestoreStart: own.onRestoreStart.bind(own) }),
      ...(own?.onBatchRestored && { onBatchRestored: own.onBatchRestored.bind(own) }),
      ...(own?.onRestoreEnd && { onRestoreEnd: own.onRestoreEnd.bind(own) }),
      onTaskState: (change) => {
        if (change.state === 'ended') this.states.delete(change.taskId);
        else this.states.set(change.taskId, change.state);
        if (change.state === 'running') void this.look();
        own?.onTaskState?.(change);
      },
    };
    return { ...app, listeners };
  }

  /** Reads the tables and enters what they say. Never throws; whoever calls while it looks has it look once more. */
  look(): Promise<void> {
    this.again = true;
    this.looking ??= this.lookWhileAsked();
    return this.looking;
  }

  private async lookWhileAsked(): Promise<void> {
    try {
      while (this.again) {
        this.again = false;
        await this.lookOnce();
      }
    } catch (thrown) {
      this.init.logger.warn('state-not-seen', { message: asStreamsError(thrown).message });
    } finally {
      this.looking = null;
    }
  }

  private async lookOnce(): Promise<void> {
    const { leases, hearsTasks } = this.init;
    const [held, members, plan] = await Promise.all([leases.listLeases(), leases.listMembers(), leases.readPlan()]);
    const states = hearsTasks ? this.states : null;
    this.machine.enter(isSettled({ plan, leases: held, members, states }) ? 'RUNNING' : 'REBALANCING');
  }

  private tell(state: StreamsState, before: StreamsState): void {
    const { logger, listener } = this.init;
    logger.info('state-changed', { state, before });
    try {
      listener?.(state, before);
    } catch (thrown) {
      logger.warn('listener-failed', { message: asStreamsError(thrown).message });
    }
  }
}
