// Packs Skillspan as it would be published, with the prebuild of this platform alone, installs it
// into empty projects and uses it there. The working tree keeps no trace but dist/.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closingLine, nothing } from './tally.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const modules = join(root, 'node_modules');
const windows = process.platform === 'win32';
const work = mkdtempSync(join(realpathSync(tmpdir()), 'skillspan-pack-'));

function environment(changes) {
  const env = { ...process.env, ...changes };
  for (const name of ['SKILLSPAN_ISA', 'SKILLSPAN_PREBUILD', 'PREBUILDS_ONLY', 'NODE_PATH']) {
    delete env[name];
  }
  if (!('SKILLSPAN_NATIVE' in changes)) delete env.SKILLSPAN_NATIVE;
  return env;
}

function attempt(cwd, command, args, changes = {}) {
  // On Windows npm is a script, which only a shell starts.
  const shell = windows && command === 'npm';
  const options = { cwd, encoding: 'utf8', env: environment(changes), shell, maxBuffer: 1 << 28 };
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (error) throw error;
  return { status, stdout, output: stdout + stderr };
}

function run(...call) {
  const { status, stdout, output } = attempt(...call);
  assert.equal(status, 0, `${[call[1], ...call[2]].join(' ')} failed:\n${output}`);
  return stdout;
}

/** Runs an ES module, given as text, in a process of its own; answers what it prints. */
function evaluate(project, source, changes) {
  const args = ['--input-type=module', '--eval', source];
  return run(project, process.execPath, args, changes).trim();
}

/** Packs the package in `folder` and answers the tarball's path and the files in it. */
function pack(folder, name, flags = []) {
  const destination = join(work, name);
  mkdirSync(destination);
  const args = ['pack', '--json', '--pack-destination', destination, ...flags];
  // Where scripts run, what they print comes before the list.
  const printed = run(folder, 'npm', args);
  const [{ filename, files }] = JSON.parse(printed.slice(printed.indexOf('[')));
  return { tarball: join(destination, filename), files: files.map(({ path }) => path) };
}

function removePrebuilds(folder) {
  for (const entry of readdirSync(join(folder, 'prebuilds'), { withFileTypes: true })) {
    if (entry.isDirectory()) rmSync(join(folder, 'prebuilds', entry.name), { recursive: true });
  }
}

/** The package, unpacked and packed again: without a prebuild, and with the one made here. */
function packages() {
  const first = pack(root, 'first', ['--silent']);
  run(work, 'tar', ['-xzf', first.tarball]);
  const copy = join(work, 'package');
  removePrebuilds(copy); // the tree may hold some
  const without = pack(copy, 'without', ['--ignore-scripts']);

  symlinkSync(realpathSync(modules), join(copy, 'node_modules'), 'junction');
  // Its cache goes to the temporary folder of the system.
  run(copy, 'npm', ['run', 'prebuildify'], { TMPDIR: work, TEMP: work });
  const full = pack(copy, 'full', ['--ignore-scripts']);
  return { without, full };
}

const installFlags = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];

function newProject(name) {
  const project = join(work, name);
  mkdirSync(project);
  // Compiling SQLite takes a minute, and nothing here opens a store.
  const settings = { private: true, type: 'module', allowScripts: { 'better-sqlite3': false } };
  writeFileSync(join(project, 'package.json'), JSON.stringify(settings));
  return project;
}

function install(name, { tarball }, flags = [], changes = {}) {
  const project = newProject(name);
  run(project, 'npm', ['install', ...installFlags, ...flags, tarball], changes);
  return project;
}

const packageOf = (project) => join(project, 'node_modules/skillspan');

/** The path, within the package, of the addon that a process has loaded. */
const loadedAddon = `
  import { nativeInfo } from 'skillspan';
  nativeInfo();
  const [addon] = process.report.getReport().sharedObjects.filter((path) => path.endsWith('.node'));
  console.log(addon.replaceAll('\\\\', '/').split('/node_modules/skillspan/').at(-1));
`;

const use = `
  import { nativeInfo, selectDiverse, SkillspanError, VectorIndex } from 'skillspan';
  const vectors = Float32Array.of(1, 0, 0,  0.99, 0.01, 0,  0, 1, 0,  0, 0, 1);
  const query = Float32Array.of(0.8, 0.6, 0);
  const index = VectorIndex.from(vectors, { dim: 3 });
  const found = await index.search(query, 2);
  const selection = selectDiverse({ query, embeddings: vectors, quality: [1, 0.9, 0.8, 0.1], k: 2 });
  let code;
  try { index.searchSync(query, 0) } catch (error) { code = error instanceof SkillspanError && error.code }
  console.log(JSON.stringify({
    isa: nativeInfo().isa, ids: [...found.ids], order: [...selection.order], code,
  }));
`;
const answers = { ids: [1, 0], order: [0, 2], code: 'ERR_OUT_OF_RANGE' };

/** A PATH on which node and a shell are found, and no compiler, make or python. */
function bareEnvironment() {
  const bin = join(work, 'bin');
  mkdirSync(bin);
  for (const tool of ['sh', 'node']) {
    const path = run(work, 'sh', ['-c', `command -v ${tool}`]).trim();
    symlinkSync(tool === 'node' ? process.execPath : path, join(bin, tool));
  }
  // Only npm itself is on the whole PATH; the scripts it runs are on this one.
  const shell = join(work, 'bare-shell');
  writeFileSync(shell, `#!/bin/sh\nPATH="${bin}"\nexec sh "$@"\n`, { mode: 0o755 });
  return { npm_config_script_shell: shell, npm_config_python: '', PYTHON: '', CXX: '' };
}

const tally = { ...nothing };

function test(name, body) {
  const started = performance.now();
  try {
    body();
    tally.passed += 1;
    console.log(`ok      ${name} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    tally.failed += 1;
    console.log(`FAILED  ${name}\n${error.message}`);
  }
}

function everything() {
  const { without, full } = packages();
  const folder = `prebuilds/${process.platform}-${process.arch}/`;
  const libc = existsSync('/etc/alpine-release') ? 'musl' : 'glibc';
  const prebuild = `${folder}skillspan.${libc}.node`;

  test('the tarball holds one addon, the prebuild, and what a build from source needs', () => {
    assert.deepEqual(
      full.files.filter((path) => path.endsWith('.node')),
      [prebuild],
    );
    const { core, binding } = JSON.parse(readFileSync(join(root, 'native/sources.json'), 'utf8'));
    const needed = [...core, ...binding, 'native/core/kernels_body.inc', 'native/build.mjs'];
    for (const path of [...needed, 'binding.gyp', 'dist/index.d.ts', 'LICENSE', 'README.md']) {
      assert.ok(full.files.includes(path), `${path} is not in it`);
    }
    const strays = full.files.filter((path) =>
      /^(build|test|lib|scripts|node_modules)\b/.test(path),
    );
    assert.deepEqual(strays, []);
  });

  const project = install('packed', full, ['--ignore-scripts']);

  test('with scripts off, the prebuild is what loads', () => {
    assert.equal(evaluate(project, loadedAddon), prebuild);
    assert.ok(!existsSync(join(packageOf(project), 'build')));
  });

  test('nativeInfo, VectorIndex, selectDiverse and the errors work', () => {
    const { isa, ...rest } = JSON.parse(evaluate(project, use));
    assert.notEqual(isa, 'javascript');
    assert.deepEqual(rest, answers);
  });

  test('the other entries, require() and the command line work', () => {
    evaluate(project, "import { baseline } from 'skillspan/baseline'; baseline.info();");
    const metric = "import { recall } from 'skillspan/eval'; recall([], { gold: ['a'] }, 1);";
    evaluate(project, metric);
    const required = "console.log(typeof require('skillspan').selectDiverse)";
    const args = ['--input-type=commonjs', '--no-warnings', '--eval', required];
    assert.equal(run(project, process.execPath, args).trim(), 'function');
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const printed = run(project, 'npm', ['exec', '--no', '--', 'skillspan', '--version']);
    assert.equal(printed.trim(), version);
  });

  test('strict TypeScript compiles against its types', () => {
    writeFileSync(
      join(project, 'use.ts'),
      `import { type Selection, selectDiverse, VectorIndex, type SkillspanError } from 'skillspan';
       import { baseline } from 'skillspan/baseline';
       import type { Method } from 'skillspan/eval';
       const query = new Float32Array(3);
       const selection: Selection = selectDiverse({ query, embeddings: query, quality: [1], k: 1 });
       export const order: Uint32Array = selection.order;
       export const ids: Promise<Uint32Array> = VectorIndex.from(query, { dim: 3 })
         .search(query, 1, { signal: AbortSignal.timeout(9) })
         .then(({ ids }) => ids);
       export const code = (error: SkillspanError): string => error.code;
       export const isa: string = baseline.info().isa;
       export const method: Method = {
         name: 'none',
         dependsOnK: false,
         rank: async () => ({ ids: [], milliseconds: {} }),
       };
       // @ts-expect-error: k is a number
       selectDiverse({ query, embeddings: query, quality: [1], k: '1' });
      `,
    );
    const compilerOptions = {
      ...{ target: 'es2023', lib: ['es2023'], module: 'nodenext', strict: true, noEmit: true },
      ...{ exactOptionalPropertyTypes: true, skipLibCheck: false },
      ...{ types: ['node'], typeRoots: [join(realpathSync(modules), '@types')] },
    };
    const settings = JSON.stringify({ compilerOptions, files: ['use.ts'] });
    writeFileSync(join(project, 'tsconfig.json'), settings);
    run(project, process.execPath, [join(modules, 'typescript/bin/tsc'), '-p', '.']);
  });

  test('with scripts on, a prebuild that loads is not built again', () => {
    const scripted = install('scripted', full);
    assert.ok(!existsSync(join(packageOf(scripted), 'build')));
    assert.equal(evaluate(scripted, loadedAddon), prebuild);
  });

  const bare = install('bare', without, ['--ignore-scripts']);

  test('with neither prebuild nor build it says ERR_NATIVE_LOAD and what to do', () => {
    const caught = evaluate(
      bare,
      `import { nativeInfo, SkillspanError } from 'skillspan';
       try { nativeInfo() } catch (error) {
         console.log(error instanceof SkillspanError, error.code, error.message);
       }`,
    );
    assert.match(caught, /^true ERR_NATIVE_LOAD .*npm rebuild skillspan.*SKILLSPAN_NATIVE=0/);
  });

  test('SKILLSPAN_NATIVE=0 works without an addon, and installs without building one', () => {
    const off = { SKILLSPAN_NATIVE: '0' };
    assert.deepEqual(JSON.parse(evaluate(bare, use, off)), { isa: 'javascript', ...answers });
    const project = install('baseline', without, [], off);
    assert.ok(!existsSync(join(packageOf(project), 'build')));
  });

  const noTools = 'without prebuild and compiler the installation fails, says why, leaves nothing';
  if (windows) {
    tally.skipped += 1;
    console.log(`skipped ${noTools}: on Windows no PATH hides Visual Studio`);
  } else {
    test(noTools, () => {
      const project = newProject('no-tools');
      const args = ['install', ...installFlags, without.tarball];
      const { status, output } = attempt(project, 'npm', args, bareEnvironment());
      assert.notEqual(status, 0);
      assert.match(output, /could not be built/);
      assert.match(output, /not found here: python3, make, (g|c)\+\+/);
      assert.match(output, /SKILLSPAN_NATIVE=0/);
      assert.ok(!existsSync(packageOf(project)), 'the package was left in place');
    });
  }

  test('npm rebuild builds it from the packed sources', () => {
    run(bare, 'npm', ['rebuild', 'skillspan']);
    assert.equal(evaluate(bare, loadedAddon), 'build/Release/skillspan.node');
    assert.deepEqual(JSON.parse(evaluate(bare, use)).order, answers.order);
  });
}

try {
  everything();
} catch (error) {
  tally.failed += 1;
  console.log(`FAILED  ${error.message}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(closingLine(tally));
process.exitCode = tally.failed === 0 ? 0 : 1;
