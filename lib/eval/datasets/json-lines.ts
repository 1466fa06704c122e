import { join } from 'node:path';
import { Prose, unexpected } from '../../errors.ts';
import type { Skill } from '../../registry/registry.ts';
import { ById, type Dataset, type EvalRequest, knownGold, toSkill } from './dataset.ts';
import { type DatasetFormat, nameOf, unknownSplit } from './format.ts';
import { readJsonLines } from './json-files.ts';

/**
 * `corpus.jsonl`, a skill a line: `{skill_id, name, description, body}`; and `queries.jsonl`:
 * `{query_id, text, gold: [skill_id…], split}`. A split is the requests with that `split`.
 */
export const jsonLines: DatasetFormat = {
  name: 'json-lines',
  files: ['corpus.jsonl', 'queries.jsonl'],
  async read(folder, split): Promise<Dataset> {
    const corpus = join(folder, 'corpus.jsonl');
    const skills = new ById<Skill>('skill_id');
    for await (const record of readJsonLines(corpus)) {
      const id = record.filled('skill_id');
      skills.add(id, toSkill(id, record.content('body'), corpus), record.place);
    }
    return {
      name: nameOf(folder),
      format: jsonLines.name,
      skills: skills.records,
      requests: await readRequests(join(folder, 'queries.jsonl'), 'query_id', skills, split),
      notes: [],
    };
  },
};

/** Requests of a JSON Lines file, those of one split or all. */
export async function readRequests(
  path: string,
  idField: string,
  skills: ById<unknown>,
  split: string | undefined,
): Promise<EvalRequest[]> {
  const requests = new ById<EvalRequest>(idField);
  const splits = new Set<string>();
  for await (const record of readJsonLines(path)) {
    const own = record.text('split');
    if (own !== '') splits.add(own);
    const id = record.filled(idField);
    const gold = record.texts('gold');
    if (gold.length === 0) {
      const came = new Prose('none');
      throw unexpected('ERR_DATASET_INVALID', `${record.place} gold`, 'at least one id', came);
    }
    const request = {
      id,
      text: record.filled('text'),
      gold: knownGold(gold, skills, record.place),
    };
    if (split === undefined || split === own) requests.add(id, request, record.place);
  }
  if (split !== undefined && !splits.has(split)) throw unknownSplit(split, splits);
  return requests.records;
}
