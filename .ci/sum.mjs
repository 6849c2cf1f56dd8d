// Adds up a run: `node .ci/sum.mjs <steps file> <vitest JSON report>` ends with the line `N passed, N failed`.
// The steps file has a line per step, `passed <name>` or `failed <name>`. A skipped or unfinished test counts as failed,
// and so does a report that is missing, unreadable or without tests.
import { readFileSync } from 'node:fs';

const [stepsFile, reportFile] = process.argv.slice(2);
const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

const steps = read(stepsFile).split('\n').filter(Boolean);
let passed = steps.filter((line) => line.startsWith('passed ')).length;
let failed = steps.length - passed;
if (steps.length === 0) failed += 1;

try {
  const report = JSON.parse(read(reportFile));
  const skipped = report.numPendingTests + report.numTodoTests;
  if (!(report.numTotalTests > 0)) throw new Error('it holds no tests');
  if (report.numPassedTests + report.numFailedTests + skipped !== report.numTotalTests) {
    throw new Error('its numbers do not add up');
  }
  passed += report.numPassedTests;
  failed += report.numFailedTests + skipped;
  console.log(`tests: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped or to do`);
  if (skipped > 0) console.log('Skipped tests are not allowed: make them run, or delete them.');
} catch (error) {
  failed += 1;
  console.log(`The test report cannot be counted: ${error.message}`);
}

for (const line of steps.filter((line) => line.startsWith('failed '))) console.log(line);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
