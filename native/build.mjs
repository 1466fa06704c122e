// Builds the addon from source with node-gyp, or with --if-needed only where no prebuild loads.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const require = createRequire(import.meta.url);

if (process.argv.includes('--if-needed')) {
  try {
    require('node-gyp-build')(root);
    process.exit(0);
  } catch {
    // No prebuild for this platform: build one.
  }
}

// node-gyp downloads Node's headers unless it is told where they are; most installs carry them.
const prefix = dirname(dirname(process.execPath));
const env = { ...process.env };
if (!env.npm_config_nodedir && existsSync(join(prefix, 'include/node/node_api.h'))) {
  env.npm_config_nodedir = prefix;
}
// npm puts its own node-gyp on the PATH of every script it runs.
const { status, error } = spawnSync('node-gyp', ['rebuild', '--jobs', 'max'], {
  cwd: root,
  env,
  stdio: 'inherit',
  shell: process.platform === 'win32',
});
if (error) console.error(`node-gyp could not be started (${error.message}); run this through npm.`);
process.exit(status ?? 1);
