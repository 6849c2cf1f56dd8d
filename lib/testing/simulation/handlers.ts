/** The handlers of the four functions, made as a user's `functions/*.ts` make them, with the ports of one execution environment. */
import {
  createQueryHandler,
  createSchedulerHandler,
  createStandbyHandler,
  createTaskHandler,
} from '../../lambda/index.js';
import { asStreamsError } from '../../model/errors.js';
import type { RuntimePorts } from '../../runtime/ports.js';
import type { Cloud } from './cloud.js';
import type { SimulatedHandler } from './function-platform.js';
import { simulatedPorts } from './simulated-ports.js';
import type { SimulatedProcess } from './simulated-process.js';

/** What a cold start of this process makes. */
export function createHandler(cloud: Cloud, process: SimulatedProcess): SimulatedHandler {
  const app = cloud.appOf(process);
  const ports = portsOf(cloud, process);
  const options = {
    ports: async () => ports,
    environment: { MILLRACE_SETTING_MEMBERS: String(cloud.members) },
  };
  switch (process.runs) {
    case 'scheduler':
      return createSchedulerHandler(app, options);
    case 'task':
      return watched(cloud, process, createTaskHandler(app, options));
    case 'standby':
      return createStandbyHandler(app, options);
    case 'query':
      return createQueryHandler(app, { ...options, stores: [...app.topology.stores.keys()] });
  }
}

function portsOf(cloud: Cloud, process: SimulatedProcess): RuntimePorts {
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
      effects: (effect) => cloud.effect(effect),
      broken: (rule) => cloud.broken.push(`${process.name}: ${rule}`),
    },
  });
}

/** An engine that finds its own rules broken says so by an error of these kinds; no fault of the cloud may bring one about. */
function watched(cloud: Cloud, process: SimulatedProcess, handle: SimulatedHandler): SimulatedHandler {
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
