// Builds the addon with node-gyp:
//   node native/build.mjs               from source
//   node native/build.mjs --if-needed   only where none loads: the package's install script
//   node native/build.mjs --prebuild    into prebuilds/, as the package ships it
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);
const platform = `${process.platform}-${process.arch}`;

/** Whether an addon, built here or shipped, loads: in a process of its own, which it may crash. */
function loads() {
  let file;
  try {
    file = require('node-gyp-build').resolve(root);
  } catch {
    console.log(`skillspan: no prebuilt addon for ${platform}; building it from source`);
    return false;
  }
  // Which instruction set to use is a question of run time.
  const options = { encoding: 'utf8', env: { ...process.env, SKILLSPAN_ISA: '' } };
  const args = ['--eval', `require(${JSON.stringify(file)})`];
  const { status, signal, stderr } = spawnSync(process.execPath, args, options);
  if (status === 0) return true;
  const reason = /^(?:\w*Error: .*)$/m.exec(stderr)?.[0] ?? signal ?? `exit code ${status}`;
  console.log(`skillspan: ${file} does not load (${reason}); building the addon from source`);
  return false;
}

function run(command, args) {
  const env = { ...process.env };
  // node-gyp downloads Node's headers unless it is told where they are; most installs carry them.
  const prefix = dirname(dirname(process.execPath));
  if (!env.npm_config_nodedir && existsSync(join(prefix, 'include/node/node_api.h'))) {
    env.npm_config_nodedir = prefix;
  }
  // A command that is not a path may be a script, which on Windows only a shell starts.
  const shell = process.platform === 'win32' && command !== process.execPath;
  const { status, error } = spawnSync(command, args, { cwd: root, env, stdio: 'inherit', shell });
  if (error)
    console.error(`${command} could not be started (${error.message}); run this through npm.`);
  return status === 0;
}

function buildFromSource() {
  const args = ['rebuild', '--jobs', 'max'];
  // Package managers say where their node-gyp lies, or put it on the PATH of the scripts they run.
  const script = process.env.npm_config_node_gyp;
  if (script && existsSync(script)) return run(process.execPath, [script, ...args]);
  return run('node-gyp', args);
}

function makePrebuild() {
  const target = `--target=${process.versions.node}`;
  const args = ['--napi', '--strip', '--tag-libc', target];
  return run(process.execPath, [require.resolve('prebuildify/bin.js'), ...args]);
}

function missingTools() {
  const compiler = process.env.CXX || (process.platform === 'darwin' ? 'c++' : 'g++');
  const tools = [process.env.PYTHON || 'python3', 'make', ...compiler.split(' ', 1)];
  return tools.filter((tool) => spawnSync(tool, ['--version'], { stdio: 'ignore' }).status !== 0);
}

function advice() {
  if (process.platform === 'win32') {
    return 'Visual Studio\'s Build Tools with the workload "Desktop development with C++", and Python 3';
  }
  const missing = missingTools();
  const found = missing.length > 0 ? ` (not found here: ${missing.join(', ')})` : '';
  const command = {
    darwin: 'xcode-select --install',
    linux: existsSync('/etc/alpine-release')
      ? 'apk add g++ make python3'
      : 'on Debian and Ubuntu `apt-get install g++ make python3`, on Fedora and RHEL `dnf install gcc-c++ make python3`',
  }[process.platform];
  return `a C++17 compiler, make and python3${found}${command ? `: ${command}` : ''}`;
}

const [mode] = process.argv.slice(2);

function work() {
  if (mode === '--prebuild') return makePrebuild();
  if (mode !== '--if-needed') return buildFromSource();
  if (process.env.SKILLSPAN_NATIVE === '0') {
    console.log('skillspan: SKILLSPAN_NATIVE=0, so no addon is built');
    return true;
  }
  return loads() || buildFromSource();
}

if (!work()) {
  // What a failed build leaves must not be taken for an addon.
  rmSync(join(root, 'build'), { recursive: true, force: true });
  console.error(`
skillspan: the native addon for ${platform} could not be built; the reason stands above.
  Building it needs ${advice()}.
  Then install again, or run \`npm rebuild skillspan\` where the package is in place.
  To go without it, on the much slower TypeScript baseline, set SKILLSPAN_NATIVE=0 for the
  installation and at run time.`);
  process.exitCode = 1;
}
