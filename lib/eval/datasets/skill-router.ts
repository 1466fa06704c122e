import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Prose, unexpected } from '../../errors.ts';
import type { Skill } from '../../registry/registry.ts';
import { ById, type Dataset, type EvalRequest, toSkill } from './dataset.ts';
import { type DatasetFormat, nameOf, unknownSplit } from './format.ts';
import { readJson, readJsonLines } from './json-files.ts';
import { JsonRecord } from './record.ts';

const TIERS = ['easy', 'hard'];

/**
 * The SkillRouter benchmark (github.com/zhengyanzhao1997/SkillRouter, `data/eval_core`): `tasks.jsonl`,
 * `{task_id, instruction_text}`; `relevance.json`, `{task_id: {gt_skill_ids, core_gt_ids, relevance,
 * task_type}}`; and one pool of skills a tier, the JSON Lines files of `easy/` and `hard/`,
 * `{skill_id, name, description, body}`. A split is a tier, `easy` by default.
 *
 * Its rules: tasks of the type `generic_only` are not scored; the gold skills are the core ones that the
 * pool holds, and a task left with none is not scored; nDCG takes the graded `relevance`.
 */
export const skillRouterBenchmark: DatasetFormat = {
  name: 'skill-router',
  files: ['tasks.jsonl', 'relevance.json'],
  async read(folder, split = 'easy'): Promise<Dataset> {
    if (!TIERS.includes(split)) throw unknownSplit(split, TIERS);
    const skills = await readPool(join(folder, split));
    const relevanceFile = join(folder, 'relevance.json');
    const relevance = new JsonRecord(await readJson(relevanceFile), relevanceFile);

    const requests = new ById<EvalRequest>('task_id');
    const skipped = { genericOnly: 0, withoutGold: 0 };
    let outside = 0;
    for await (const task of readJsonLines(join(folder, 'tasks.jsonl'))) {
      const id = task.filled('task_id');
      const entry = relevance.record(id);
      if (entry.text('task_type') === 'generic_only') {
        skipped.genericOnly += 1;
        continue;
      }
      const annotated = new Set(
        entry.texts(entry.has('core_gt_ids') ? 'core_gt_ids' : 'gt_skill_ids'),
      );
      const gold = [...annotated].filter((skill) => skills.has(skill));
      outside += annotated.size - gold.length;
      if (gold.length === 0) {
        skipped.withoutGold += 1;
        continue;
      }
      const gains = [...entry.gains('relevance')].filter(([skill]) => skills.has(skill));
      const text = task.filled(task.has('instruction_text') ? 'instruction_text' : 'query');
      const graded = gains.length === 0 ? {} : { relevance: new Map(gains) };
      requests.add(id, { id, text, gold, ...graded }, task.place);
    }
    return {
      name: `${nameOf(folder)}/${split}`,
      format: skillRouterBenchmark.name,
      skills: skills.records,
      requests: requests.records,
      notes: [
        ...count(skipped.genericOnly, 'tasks left out: generic_only'),
        ...count(skipped.withoutGold, 'tasks left out: no core gold skill in the pool'),
        ...count(outside, 'gold ids left out: not in the pool'),
      ],
    };
  },
};

async function readPool(tier: string): Promise<ById<Skill>> {
  const files = await readdir(tier).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const parts = files.filter((file) => /\.jsonl(?:\.gz)?$/.test(file)).sort();
  if (parts.length === 0) {
    const expected = 'a pool of skills, .jsonl or .jsonl.gz files';
    throw unexpected('ERR_DATASET_NOT_FOUND', tier, expected, new Prose('none'));
  }
  const skills = new ById<Skill>('skill_id');
  for (const part of parts) {
    const path = join(tier, part);
    for await (const record of readJsonLines(path)) {
      const id = record.filled('skill_id');
      skills.add(id, toSkill(id, record.content('body'), path), record.place);
    }
  }
  return skills;
}

function count(n: number, what: string): string[] {
  return n === 0 ? [] : [`${n} ${what}`];
}
