// Builds the tests of native/core in a folder of their own and runs them. native-tests.mjs is the
// command, test.mjs runs the plain suite as part of `npm test`.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sum } from './tally.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

// What native/test/CMakeLists.txt looks for, by the name under which CMake remembers it.
const headers = {
  SKILLSPAN_EIGEN_INCLUDE: 'Eigen 3 (Debian: libeigen3-dev)',
  SKILLSPAN_DOCTEST_INCLUDE: 'doctest (Debian: doctest-dev)',
};

/** A tool or library that this machine lacks: no failure of the code. */
export class MissingTools extends Error {
  constructor(tools) {
    super(`missing: ${tools.join(', ')}`);
  }
}

function available(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

function demand(tools) {
  const missing = Object.keys(tools).filter((command) => !available(command));
  if (missing.length > 0) {
    throw new MissingTools(missing.map((command) => `${command} (Debian: ${tools[command]})`));
  }
}

function run(command, args, env = {}) {
  console.log(`$ ${[command, ...args].join(' ')}`);
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' };
  const { status, error } = spawnSync(command, args, options);
  if (error) throw error;
  return status === 0;
}

function configure(folder, settings) {
  demand({ cmake: 'cmake', ctest: 'cmake' });
  const generator = available('ninja') ? ['-G', 'Ninja'] : [];
  const definitions = Object.entries({ SKILLSPAN_TESTS: 'ON', ...settings });
  const args = definitions.map(([name, value]) => `-D${name}=${value}`);
  if (run('cmake', ['-S', '.', '-B', folder, ...generator, ...args])) return;

  const path = join(root, folder, 'CMakeCache.txt');
  const cache = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const missing = Object.keys(headers).filter((name) => cache.includes(`${name}-NOTFOUND`));
  if (missing.length > 0) throw new MissingTools(missing.map((name) => headers[name]));
  throw new Error(`cmake could not configure ${folder}`);
}

const parallel = ['--parallel', String(availableParallelism())];

function build(folder, settings) {
  configure(folder, settings);
  if (!run('cmake', ['--build', folder, ...parallel])) throw new Error(`cannot build ${folder}`);
}

/**
 * The test cases of one run of the binary, from what it printed. A run that failed without saying
 * which case did (a crash, a sanitizer's report) counts as one failure.
 */
function tallyOf(output, ok) {
  const line =
    /\[doctest\] test cases: *\d+ *\| *(\d+) passed *\| *(\d+) failed *\| *(\d+) skipped/;
  const counts = line.exec(output)?.slice(1).map(Number) ?? [ok ? 1 : 0, 0, 0];
  const [passed, failed, skipped] = counts;
  return { passed, failed: ok ? failed : Math.max(failed, 1), skipped };
}

function ctest(folder) {
  const report = join(root, folder, 'ctest.xml');
  const whole = ['--test-output-size-passed', '1000000', '--test-output-size-failed', '1000000'];
  const ok = run('ctest', [
    ...['--test-dir', folder, ...parallel, '--output-on-failure', '--no-tests=error'],
    ...['--output-junit', report, ...whole],
  ]);
  const cases = readFileSync(report, 'utf8').split('<testcase ').slice(1);
  const total = sum(
    cases.map((entry) => {
      const status = /status="(\w+)"/.exec(entry)[1];
      if (status === 'notrun' || status === 'disabled') return { passed: 0, failed: 0, skipped: 1 };
      return tallyOf(entry, status === 'run');
    }),
  );
  return ok ? total : { ...total, failed: Math.max(total.failed, 1) };
}

function emulate(emulator, binary, expectedIsa) {
  // The lexical index has no code for particular instruction sets, and would take minutes here.
  const [command, ...args] = [...emulator, binary, '--test-case-exclude=lexical*'];
  console.log(`$ ${[command, ...args].join(' ')}`);
  const env = { ...process.env, SKILLSPAN_ISA: '', SKILLSPAN_EXPECT_ISA: expectedIsa };
  const options = { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (error) throw error;
  process.stdout.write(stdout);
  // For every thread qemu tells again which features of the named processor it leaves out.
  process.stderr.write(stderr.replaceAll(/.*TCG doesn't support requested feature.*\n/g, ''));
  return tallyOf(stdout, status === 0);
}

/** The suite on this machine, once for each instruction set. */
export function runPlain() {
  build('build-test', {});
  return ctest('build-test');
}

/** The same under sanitizers: `address,undefined` or `thread`. */
export function runSanitized(sanitizers) {
  const folder = `build-test-${sanitizers.replaceAll(',', '-')}`;
  build(folder, { SKILLSPAN_SANITIZE: sanitizers });
  return ctest(folder);
}

/** The same on emulated machines: without AVX, with AVX2 but not AVX-512, and arm64. */
export function runEmulated() {
  demand({
    'qemu-x86_64': 'qemu-user',
    'qemu-aarch64': 'qemu-user',
    'aarch64-linux-gnu-g++': 'g++-aarch64-linux-gnu',
  });
  // Static, so that no C library of the emulated machine is needed.
  const fixed = { CMAKE_EXE_LINKER_FLAGS: '-static' };
  build('build-test-x64', fixed);
  const x64 = 'build-test-x64/native/test/skillspan_tests';
  const old = [
    emulate(['qemu-x86_64', '-cpu', 'Nehalem'], x64, 'portable'),
    emulate(['qemu-x86_64', '-cpu', 'Haswell'], x64, 'avx2'),
  ];
  build('build-test-arm64', {
    ...fixed,
    CMAKE_SYSTEM_NAME: 'Linux',
    CMAKE_SYSTEM_PROCESSOR: 'aarch64',
    CMAKE_CXX_COMPILER: 'aarch64-linux-gnu-g++',
    CMAKE_CROSSCOMPILING_EMULATOR: 'qemu-aarch64',
  });
  return sum([...old, ctest('build-test-arm64')]);
}
