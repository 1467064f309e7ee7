// Says how the suites went: vitest's own summary and the failures of each, then one line with the sums of all.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder, ...suites] = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const suite of suites) {
  const log = join(folder, `${suite}.log`);
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [];
  const start = lines.findLastIndex((line) => /^\s*Test Files\s/.test(line));
  console.log(`${suite}\n${start < 0 ? 'no summary' : lines.slice(start).join('\n')}\n`);

  const report = join(folder, `${suite}.json`);
  if (!existsSync(report)) {
    console.log(`${suite}: vitest left no report`);
    failed += 1;
    continue;
  }
  const { numPassedTests, success, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const names = testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults
      .filter((test) => test.status === 'failed')
      .map((test) => `${name}: ${test.fullName}`);
    // A file that cannot even be loaded has no tests that could fail.
    return status === 'failed' && tests.length === 0
      ? [`${name}: ${message || 'broke off outside its tests; see above'}`]
      : tests;
  });
  // An error outside all tests, such as an unhandled rejection, fails the run as well.
  if (!success && names.length === 0) names.push('an error outside the tests; see above');
  for (const name of names) console.log(`failed, ${suite}: ${name}`);
  passed += numPassedTests;
  failed += names.length;
}

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
