/** Runs one scenario from its start to the end of its last process, under every checker. */

import { isCaughtUp } from '../../local/caught-up.js';
import { RecordSetBuilder } from '../../model/record-set-builder.js';
import { resolveSettings } from '../../model/settings.js';
import { type Checker, SAMPLE_INTERVAL_MS, type WatchedRun } from './checkers/checker.js';
import { Cloud } from './cloud.js';
import { faultKind } from './faults/fault-kinds.js';
import type { Scenario } from './scenario.js';
import type { Subject } from './subject.js';
import type { TimelineEntry } from './timeline.js';

export interface Violation {
  readonly checker: string;
  readonly what: string;
}

export interface ScenarioRun {
  readonly violations: readonly Violation[];
  /** Times that each kind of fault took effect. */
  readonly faultsFired: ReadonlyMap<string, number>;
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
  const app = { ...subject.app, settings: resolveSettings({ ...subject.app.settings, ...scenario.settings }) };
  const cloud = await Cloud.create({ scenario, app, topics: subject.topics });
  return cloud.time.run(new Running({ ...subject, app }, cloud, checkers).run());
}

class Running {
  private readonly cloud: Cloud;
  private readonly subject: Subject;
  private readonly violations: Violation[] = [];
  private readonly fired = new Map<string, number>();
  private readonly watched: readonly { readonly name: string; readonly run: WatchedRun }[];
  private isOver = false;

  constructor(subject: Subject, cloud: Cloud, checkers: readonly Checker[]) {
    this.subject = subject;
    this.cloud = cloud;
    this.watched = checkers.map((checker) => {
      const wrong = (what: string) => this.wrong(checker.name, what);
      return { name: checker.name, run: checker.watch({ cloud, subject, wrong }) };
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
    for (const { run } of watched) await run.ended?.();
    for (const what of cloud.broken) this.wrong('rules-of-the-ports', what);
    return {
      violations: this.violations,
      faultsFired: this.fired,
      timeline: cloud.timeline.entries,
      digest: cloud.timeline.digest(cloud.host.digest),
      lastedMs: cloud.time.nowMs,
    };
  }

  private faults() {
    const { cloud, fired } = this;
    return cloud.scenario.faults.map((fault) =>
      faultKind(fault.kind).activate(fault, cloud, (details = {}) => {
        fired.set(fault.kind, (fired.get(fault.kind) ?? 0) + 1);
        cloud.timeline.add('fault', fault.kind, details);
      }),
    );
  }

  private async feed(): Promise<void> {
    const { cloud } = this;
    for (const { atMs, topic, partition, key, value, timestampMs } of cloud.scenario.inputs) {
      await cloud.until(atMs);
      const records = new RecordSetBuilder();
      records.append(key, value, timestampMs);
      const offset = await cloud.log.append({ topic, partition }, records.build());
      cloud.timeline.add('world', 'input', { topic, partition, offset });
    }
  }

  private async settles(): Promise<boolean> {
    const { cloud } = this;
    const deadlineMs = cloud.time.nowMs + SETTLE_MOST_MS;
    while (cloud.time.nowMs < deadlineMs) {
      if (await isCaughtUp(cloud.app, cloud.log)) return true;
      await cloud.until(cloud.time.nowMs + LOOK_INTERVAL_MS);
    }
    this.wrong('input-is-processed', `not all input is processed ${SETTLE_MOST_MS} ms after the last fault`);
    return false;
  }

  private async sample(): Promise<void> {
    const { cloud } = this;
    while (!this.isOver && (await cloud.until(cloud.time.nowMs + SAMPLE_INTERVAL_MS)))
      for (const { run } of this.watched) await run.sample?.();
  }

  private wrong(checker: string, what: string): void {
    this.violations.push({ checker, what });
    this.cloud.timeline.add('checker', checker, { what });
  }
}
