import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Runs an ES module, given as text, in a process of its own against the compiled package. For what
 * cannot be seen from inside: exit codes, crashes, worker threads, load failures.
 */
export function runModule(source: string, env: Record<string, string> = {}) {
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', source],
    { cwd: root, encoding: 'utf8', env: { ...process.env, ...env }, timeout: 60_000 },
  );
  return { status, signal, stdout, stderr };
}
