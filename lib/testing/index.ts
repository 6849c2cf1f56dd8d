/** `millrace/testing`: what a user's tests of a topology need. */
export type {
  RawEntry,
  RawTestRecord,
  RestartOptions,
  TestDriverOptions,
  TestInput,
  TestRecord,
} from './driver/driver-options.js';
export { inVirtualTime, type VirtualTimeOptions } from './in-virtual-time.js';
export { type ExploreProtocolOptions, exploreProtocol, type ProtocolReport } from './protocol/explore-protocol.js';
export type { Chance } from './simulation/chance.js';
export type { StoreComparison } from './simulation/door/comparisons.js';
export type { SimulatedRecord, SimulatedResults, SimulatedRun } from './simulation/door/simulated-run.js';
export { SIMULATION_FAULTS, type SimulationFault } from './simulation/door/simulation-faults.js';
export type {
  Amount,
  InputTopics,
  Remote,
  Seeds,
  SimulatedApp,
  SimulatedComparison,
  SimulatedEnvironment,
  SimulatedInput,
  SimulatedInputs,
  SimulatedPart,
  SimulatedWorld,
  SimulationOptions,
} from './simulation/door/simulation-options.js';
export type { SimulationReport } from './simulation/door/tally.js';
export { simulate } from './simulation/simulate.js';
export type { OutputComparison } from './simulation/subject.js';
export { TopologyTestDriver } from './topology-test-driver.js';
