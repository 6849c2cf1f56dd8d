/** `millrace/testing`: what a user's tests of a topology need. */
export {
  type TestDriverOptions,
  type TestInput,
  type TestRecord,
  TopologyTestDriver,
} from './topology-test-driver.js';
