/** The handlers of the four functions, made as a user's `functions/*.ts` make them, with the ports of one execution environment. */
import { createQueryHandler, createSchedulerHandler, createStandbyHandler } from '../../lambda/index.js';
import { taskHandler } from '../../lambda/task-handler.js';
import { asStreamsError } from '../../model/errors.js';
import type { RuntimePorts } from '../../runtime/ports.js';
import type { StreamsApp } from '../../topology/app.js';
import type { Chance } from './chance.js';
import type { SimulatedHandler } from './function-platform.js';
import type { Harms } from './harms.js';
import { type CallHooks, type Effect, simulatedPorts } from './simulated-ports.js';
import type { SimulatedProcess } from './simulated-process.js';
import type { Timeline } from './timeline.js';

/** What a process finds around it: the cloud (cloud.ts). */
interface Surroundings extends Pick<CallHooks, 'before' | 'after' | 'answer'> {
  readonly membersSetting: string;
  readonly host: RuntimePorts['host'];
  readonly log: RuntimePorts['log'];
  readonly leases: RuntimePorts['leases'];
  readonly snapshots: RuntimePorts['snapshots'];
  readonly platform: Pick<RuntimePorts, 'invoker'>;
  readonly timeline: Timeline;
  readonly harms: Harms;
  readonly broken: string[];
  appOf(process: SimulatedProcess): StreamsApp;
  chance(name: string): Chance;
  effect(effect: Effect): void;
}

/** What a cold start of this process makes. */
export function createHandler(cloud: Surroundings, process: SimulatedProcess): SimulatedHandler {
  const app = cloud.appOf(process);
  const ports = portsOf(cloud, process);
  const options = {
    ports: async () => ports,
    environment: { MILLRACE_SETTING_MEMBERS: cloud.membersSetting },
  };
  switch (process.runs) {
    case 'scheduler':
      return createSchedulerHandler(app, options);
    case 'task':
      return watched(cloud, process, taskHandler(app, options, process.kept));
    case 'standby':
      return createStandbyHandler(app, options);
    case 'query':
      return createQueryHandler(app, { ...options, stores: [...app.topology.stores.keys()] });
  }
}

function portsOf(cloud: Surroundings, process: SimulatedProcess): RuntimePorts {
  const chance = cloud.chance(process.name);
  const { next, id } = chance;
  return simulatedPorts({
    cloud: { log: cloud.log, leases: cloud.leases, snapshots: cloud.snapshots, invoker: cloud.platform.invoker },
    host: { ...cloud.host, random: { next, id }, logger: cloud.timeline.logger(process.name) },
    process,
    chance: cloud.chance(`${process.name}/latency`),
    hooks: {
      before: (call) => cloud.before(call),
      after: (call, answer) => cloud.after(call, answer),
      answer: (call, answer) => cloud.answer(call, answer),
      effects: (effect) => cloud.effect(effect),
      broken: (rule) => cloud.broken.push(`${process.name}: ${rule}`),
    },
  });
}

/** An engine that finds its own rules broken says so by an error of these kinds; no fault of the cloud may bring one about. */
function watched(cloud: Surroundings, process: SimulatedProcess, handle: SimulatedHandler): SimulatedHandler {
  return async (event, context) => {
    try {
      return await handle(event, context);
    } catch (thrown) {
      const { kind, code, stack } = asStreamsError(thrown);
      const isFault = kind === 'internal' || (kind === 'invalid' && !cloud.harms.codes.has(code));
      if (!process.isDead && isFault) cloud.broken.push(`${code}: ${stack}`);
      throw thrown;
    }
  };
}
