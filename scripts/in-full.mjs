// `node scripts/in-full.mjs FILE...`: test files whose long form is too long for every day.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--project', 'package', ...process.argv.slice(2)],
  { cwd: root, stdio: 'inherit', env: { ...process.env, SKILLSPAN_TEST_IN_FULL: '1' } },
);
process.exitCode = status ?? 1;
