// `npm test`: builds the addon and the TypeScript, then runs vitest and the native tests. The last
// line counts the test cases of both. Where the tools of the native tests are missing it says so
// and goes on, unless CI=true: there a missing tool is a failure.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MissingTools, runPlain } from './native-suite.mjs';
import { closingLine, nothing, sum } from './tally.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const oneFailure = { ...nothing, failed: 1 };

function run(command, args) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  // On Windows npm is a script, which only a shell starts.
  const shell = process.platform === 'win32' && command === 'npm';
  return spawnSync(command, args, { cwd: root, stdio: 'inherit', shell }).status === 0;
}

function vitest() {
  const report = join(root, 'build-test', 'vitest.json');
  mkdirSync(dirname(report), { recursive: true });
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const ok = run(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters]);
  const tally = readReport(report);
  return ok ? tally : { ...tally, failed: Math.max(tally.failed, 1) };
}

function readReport(path) {
  try {
    const report = JSON.parse(readFileSync(path, 'utf8'));
    // A file that does not even load holds no failed test, and counts as one.
    const broken = report.testResults.filter(
      ({ status, assertionResults }) =>
        status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
    );
    return {
      passed: report.numPassedTests,
      failed: report.numFailedTests + broken.length,
      skipped: report.numPendingTests + report.numTodoTests,
    };
  } catch (error) {
    console.error(`vitest left no report: ${error.message}`);
    return oneFailure;
  }
}

function native() {
  try {
    return runPlain();
  } catch (error) {
    if (error instanceof MissingTools && process.env.CI !== 'true') {
      console.log(`The native tests were NOT run; ${error.message}`);
      return nothing;
    }
    console.error(`The native tests could not be run; ${error.message}`);
    return oneFailure;
  }
}

function everything() {
  for (const script of ['build:native', 'build:ts']) {
    if (!run('npm', ['run', script])) return oneFailure;
  }
  return sum([vitest(), native()]);
}

const total = everything();
console.log(closingLine(total));
process.exitCode = total.failed === 0 ? 0 : 1;
