import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { nativeInfo } from '../lib/index.ts';

/**
 * Runs a benchmark on one thread and on all of them. The count is fixed when the addon loads, so each
 * gets a process: the program `url` starts itself anew. SKILLSPAN_THREADS=n runs it for n alone.
 */
export async function onOneAndAllThreads(url: string, measure: () => Promise<void>): Promise<void> {
  if (process.env.SKILLSPAN_THREADS !== undefined) {
    const { isa, threads, build } = nativeInfo();
    console.log(`\n${threads} thread(s), ${isa}, ${build}`);
    return measure();
  }
  for (const count of new Set([1, nativeInfo().threads])) {
    execFileSync(process.execPath, [...process.execArgv, fileURLToPath(url)], {
      stdio: 'inherit',
      env: { ...process.env, SKILLSPAN_THREADS: String(count) },
    });
  }
}
