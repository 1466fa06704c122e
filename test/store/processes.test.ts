import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SkillStore } from '../../lib/registry/store/skill-store.ts';
import { LiveCatalog } from '../../lib/routing/live-catalog.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';
import { stepOf } from './steps.ts';

const inFull = process.env.SKILLSPAN_TEST_IN_FULL === '1';

function start(script: string, ...args: (string | number)[]): ChildProcess {
  const path = fileURLToPath(new URL(script, import.meta.url));
  return spawn(process.execPath, ['--import', 'tsx', path, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = '';
  child.stdout!.on('data', (bytes) => {
    output += bytes;
  });
  const [code] = await once(child, 'close');
  return code === 0 ? output : `exit code ${code}`;
}

describe('a store that several processes use', () => {
  const rounds = inFull ? 200 : 8;

  it(`loses nothing that was acknowledged, however often its writer is killed (${rounds} times)`, async () => {
    const root = await temporaryFolder();
    let acknowledged = -1;
    let random = 1;
    for (let round = 0; round < rounds; round++) {
      const writer = start('writer.ts', root, acknowledged + 1);
      const closed = once(writer, 'close');
      const lines = createInterface({ input: writer.stdout! });
      const first = once(lines, 'line');
      lines.on('line', (line) => {
        acknowledged = Number(line);
      });
      await first;
      random = (random * 48_271) % 0x7fff_ffff;
      await setTimeout(random % 400);
      writer.kill('SIGKILL');
      await closed;

      const store = SkillStore.open(join(root, '.skillspan'));
      expect(store.problem).toBeUndefined();
      const live = await LiveCatalog.open(store, new WordEncoder());
      const step = await live.use((catalog) => stepOf(catalog, acknowledged, 10));
      // A step may be committed and its writer killed before it could say so.
      expect(step - acknowledged).toBeLessThanOrEqual(1);
      expect(live.problems).toEqual([]);
      await live.close();
    }
    expect(acknowledged).toBeGreaterThanOrEqual(rounds - 1);
  }, 600_000);

  it('shows three readers every state whole while one writes', async () => {
    const root = await temporaryFolder();
    const last = inFull ? 1_000 : 40;
    const readers = [1, 2, 3].map(() => outputOf(start('reader.ts', root, last)));
    const written = await outputOf(start('writer.ts', root, 0, last));
    expect(written.trim().split('\n')).toHaveLength(last + 1);
    for (const seen of await Promise.all(readers)) expect(Number(seen)).toBeGreaterThan(3);
  }, 600_000);
});
