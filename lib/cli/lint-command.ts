import type { Command } from 'commander';
import { type Finding, lintRegistry } from '../registry/lint/lint.ts';
import { readRegistry } from '../registry/registry.ts';
import { SkillStore } from '../registry/store/skill-store.ts';
import { VectorIndex } from '../vector-index.ts';
import { openRegistry } from './open.ts';

interface LintFlags {
  embed?: boolean;
  model?: string;
  json?: boolean;
}

/** Skills of this cosine or more are as good as the same to a search. */
const SAME = 0.97;

/** `skillspan lint <dir…>`: what is off about skills; the exit code is 1 where something is. */
export function addLintCommand(program: Command): void {
  program
    .command('lint')
    .description('say what is off about skills in the terms of the Agent Skills specification')
    .argument('<dir...>', 'registry folders')
    .option('--embed', 'look for near-duplicates by embedding too; synchronises the store')
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option('--json', 'print the findings as JSON')
    .action(async (roots: string[], { embed, json, model }: LintFlags) => {
      const findings = lintRegistry(await readRegistry(roots));
      if (embed) findings.push(...(await similarByEmbedding(roots, model)));
      if (findings.length > 0) process.exitCode = 1;
      if (json) {
        console.log(JSON.stringify(findings, undefined, 2));
        return;
      }
      for (const { path, line, code, message } of findings) {
        console.log(`${path}:${line}: ${message} [${code}]`);
      }
    });
}

async function similarByEmbedding(roots: string[], model?: string): Promise<Finding[]> {
  const router = await openRegistry(roots, { ...(model && { model }) });
  const { cacheDir } = router.report;
  await router.dispose();
  const store = SkillStore.open(cacheDir);
  const reader = store.reader();
  try {
    const encoder = store.encoder!;
    const { dim } = encoder;
    const rows = reader.rowsAfter(-1);
    const vectors = reader.vectorsOf(rows, encoder);
    const index = VectorIndex.from(vectors, { dim });
    const findings: Finding[] = [];
    for (const [b, row] of rows.entries()) {
      const { ids, scores } = await index.search(vectors.subarray(b * dim, (b + 1) * dim), 4);
      const place = [...ids].findIndex((a, i) => a < b && scores[i]! >= SAME);
      if (place < 0) continue;
      const { path } = reader.card(rows[ids[place]!]!);
      findings.push({
        path: reader.card(row).path,
        line: 1,
        code: 'near-duplicate-by-embedding',
        message: `to a search nearly the same as ${path}: cosine ${scores[place]!.toFixed(3)}`,
      });
    }
    return findings;
  } finally {
    reader.close();
    store.close();
  }
}
