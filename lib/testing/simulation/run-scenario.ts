/** Runs one scenario from its start to the end of its last process, under every checker. */

import { resolveSettings } from '../../model/settings.js';
import { matchTopics } from '../../topology/topic-patterns.js';
import { type Checker, SAMPLE_INTERVAL_MS, type WatchedRun } from './checkers/checker.js';
import { Cloud } from './cloud.js';
import { faultKind } from './faults/fault-kinds.js';
import type { Scenario } from './scenario.js';
import { isSettled } from './settled.js';
import type { Subject } from './subject.js';
import type { TimelineEntry } from './timeline.js';
import { Witness } from './witness.js';

export interface Violation {
  readonly checker: string;
  readonly what: string;
}

/** A fault that took effect. */
export interface FaultEffect {
  /** Index into the scenario's faults. */
  readonly fault: number;
  /** Virtual milliseconds since the run began. */
  readonly atMs: number;
  readonly details: Readonly<Record<string, unknown>>;
}

export interface ScenarioRun {
  readonly violations: readonly Violation[];
  /** Times that each kind of fault took effect. */
  readonly faultsFired: ReadonlyMap<string, number>;
  /** Which faults took effect, when, and on what; in order of time. */
  readonly faultEffects: readonly FaultEffect[];
  /** Times that each transition of the ownership protocol was made, by its name (TRANSITIONS of coverage.ts). */
  readonly transitions: ReadonlyMap<string, number>;
  readonly timeline: readonly TimelineEntry[];
  /** The same for runs that took the same course. */
  readonly digest: string;
  /** Virtual milliseconds that it lasted. */
  readonly lastedMs: number;
}

/** Virtual time within which everything has to be processed once nothing goes wrong any more. */
const SETTLE_MOST_MS = 300_000;
const LOOK_INTERVAL_MS = 250;

export async function runScenario(
  subject: Subject,
  scenario: Scenario,
  checkers: readonly Checker[],
): Promise<ScenarioRun> {
  const settings = resolveSettings({ ...subject.app.settings, ...scenario.settings });
  const app = matchTopics({ ...subject.app, settings }, Object.keys(subject.topics));
  const createApp: Subject['createApp'] = (process, cloud) =>
    subject.createApp === undefined ? app : { ...subject.createApp(process, cloud), settings };
  const cloud = await Cloud.create({ scenario, app, createApp, topics: subject.topics });
  return cloud.time.run(new Running({ ...subject, app }, cloud, checkers).run());
}

class Running {
  private readonly cloud: Cloud;
  private readonly witness: Witness;
  private readonly violations: Violation[] = [];
  private readonly fired = new Map<string, number>();
  private readonly effects: FaultEffect[] = [];
  private readonly watched: readonly { readonly name: string; readonly run: WatchedRun }[];
  private isOver = false;

  constructor(subject: Subject, cloud: Cloud, checkers: readonly Checker[]) {
    this.cloud = cloud;
    this.witness = new Witness(cloud, subject);
    this.watched = checkers.map((checker) => {
      const wrong = (what: string) => this.wrong(checker.name, what);
      return { name: checker.name, run: checker.watch({ cloud, subject, witness: this.witness, wrong }) };
    });
  }

  async run(): Promise<ScenarioRun> {
    const { cloud, watched } = this;
    cloud.start(this.faults());
    cloud.inBackground(this.sample());
    await this.feed();
    await cloud.until(cloud.scenario.calmAtMs);
    cloud.calm();
    cloud.timeline.add('world', 'calm');
    if (await this.settles()) for (const { run } of watched) await run.settled?.();
    this.isOver = true;
    await cloud.end();
    await this.witness.settle();
    for (const { run } of watched) await run.ended?.();
    for (const what of cloud.broken) this.wrong('rules-of-the-ports', what);
    return {
      violations: this.violations,
      faultsFired: this.fired,
      faultEffects: this.effects,
      transitions: this.witness.coverage.counts,
      timeline: cloud.timeline.entries,
      digest: cloud.timeline.digest(cloud.host.digest),
      lastedMs: cloud.time.nowMs,
    };
  }

  private faults() {
    const { cloud, fired, effects } = this;
    return cloud.scenario.faults.map((fault, index) =>
      faultKind(fault.kind).activate(fault, cloud, (details = {}) => {
        fired.set(fault.kind, (fired.get(fault.kind) ?? 0) + 1);
        effects.push({ fault: index, atMs: cloud.time.nowMs, details });
        cloud.timeline.add('fault', fault.kind, details);
      }),
    );
  }

  private async feed(): Promise<void> {
    const { cloud } = this;
    for (const input of cloud.scenario.inputs) {
      await cloud.until(input.atMs);
      await cloud.append(input);
    }
  }

  private async settles(): Promise<boolean> {
    const { cloud } = this;
    const deadlineMs = cloud.time.nowMs + SETTLE_MOST_MS;
    while (cloud.time.nowMs < deadlineMs) {
      if (await isSettled(cloud, this.witness)) return true;
      await cloud.until(cloud.time.nowMs + LOOK_INTERVAL_MS);
    }
    this.wrong('input-is-processed', `not all input is processed ${SETTLE_MOST_MS} ms after the last fault`);
    return false;
  }

  private async sample(): Promise<void> {
    const { cloud } = this;
    const sampling = this.watched.filter(({ run }) => run.sample !== undefined);
    while (!this.isOver && (await cloud.until(cloud.time.nowMs + SAMPLE_INTERVAL_MS))) {
      await this.witness.sample();
      for (const { run } of sampling) await run.sample?.();
    }
  }

  private wrong(checker: string, what: string): void {
    this.violations.push({ checker, what });
    this.cloud.timeline.add('checker', checker, { what });
  }
}
