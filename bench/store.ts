// A store of many skills, made up: import, open, a second process, one skill more.
//   tsx bench/store.ts [skills] [dim]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SkillRouter } from '../lib/index.ts';
import { contentHash } from '../lib/registry/skill-file.ts';
import { SkillStore } from '../lib/registry/store/skill-store.ts';
import { randomUnit, seeded } from '../test/support/vectors.ts';

const [, , command, dir, count = '100000', width = '384'] = process.argv;
const n = Number(command === undefined || command === 'reopen' ? count : command);
const dim = Number(width);
const fingerprint = 'made-up-vectors-of-a-bench';
const random = seeded(7);
const encoder = {
  ...{ dim, fingerprint, dispose: async () => {} },
  encode: async (texts: readonly string[]) => randomUnit(texts.length, dim, random),
};

function skillOf(i: number) {
  const word = (j: number) =>
    `w${Math.floor((((i * 7_919 + j * 104_729) % 99_991) / 99_991) ** 3 * 30_000)}`;
  const words = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, j) => word(from + j)).join(' ');
  const content = { name: `skill-${i}`, description: words(0, 20), body: words(20, 140) };
  return {
    ...content,
    id: `made/skill-${i}`,
    path: `/made/skill-${i}/SKILL.md`,
    metadata: {},
    contentHash: contentHash(content),
  };
}

/** Kibibytes of this process: private memory, and mapped files. */
function resident() {
  const status = readFileSync('/proc/self/status', 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
  return { anon: of('RssAnon'), file: of('RssFile') };
}

function since(started: number): string {
  return `${(performance.now() - started).toFixed(0)} ms`;
}

async function reopen(folder: string): Promise<void> {
  // Everything is loaded before anything is measured.
  const small = mkdtempSync(join(tmpdir(), 'skillspan-bench-'));
  const warm = await SkillRouter.from([skillOf(0)], { encoder, cacheDir: small });
  await warm.route('w1 w2');
  await warm.dispose();
  rmSync(small, { recursive: true });
  globalThis.gc?.();
  const before = resident();
  const started = performance.now();
  const router = await SkillRouter.open({ cacheDir: folder, encoder });
  const opened = since(started);
  const opening = resident();
  const asked = performance.now();
  await router.route('w12 w170 w900 w2500');
  const first = since(asked);
  globalThis.gc?.();
  const after = resident();
  const grown = (a: typeof before, b: typeof before) =>
    `private ${((b.anon - a.anon) / 1024).toFixed(0)} MB, mapped files ${((b.file - a.file) / 1024).toFixed(0)} MB`;
  console.log(`open ${opened}, grown by ${grown(before, opening)}`);
  console.log(`first request ${first}, grown by ${grown(before, after)}`);
  await router.dispose();
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'skillspan-bench-'));
  try {
    let started = performance.now();
    const store = SkillStore.open(folder);
    const step = 10_000;
    const skills = Array.from({ length: n }, (_, i) => skillOf(i));
    const { indexView } = await import('../lib/registry/index-view.ts');
    for (let first = 0; first < n; first += step) {
      const some = skills.slice(first, first + step);
      store.embeddings(encoder).put(some.map(indexView), randomUnit(some.length, dim, random));
    }
    store.takeIn(skills, encoder);
    store.close();
    console.log(`${n} × ${dim} taken in: ${since(started)}`);
    started = performance.now();
    const first = await SkillRouter.open({ cacheDir: folder, encoder });
    console.log(`opened without index files: ${since(started)}`);
    await first.dispose();
    console.log(`closed, index files written: ${since(started)}`);

    const again = await SkillRouter.open({ cacheDir: folder, encoder });
    const script = fileURLToPath(import.meta.url);
    for (let time = 0; time < 3; time++) {
      const args = ['--expose-gc', '--import', 'tsx', script, 'reopen', folder, String(n), width];
      const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
      console.log(stdout.trim() || stderr);
    }
    const other = SkillStore.open(folder);
    const more = skillOf(n + 1);
    started = performance.now();
    other.embeddings(encoder).put([indexView(more)], randomUnit(1, dim, random));
    other.takeIn([more], encoder);
    const written = since(started);
    // A request is what looks for changes; the refresh does not wait for it.
    while (again.size === n) await again.route('unheard-of', { k: 1, facets: false });
    console.log(`one more: written after ${written}, visible after ${since(started)}`);
    other.close();
    await again.dispose();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await (command === 'reopen' ? reopen(dir!) : main());
