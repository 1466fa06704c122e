import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Skill } from '../../registry/registry.ts';
import { ById, type Dataset, type EvalRequest, knownGold, toSkill } from './dataset.ts';
import { type DatasetFormat, nameOf, unknownSplit } from './format.ts';
import { readJsonArray } from './json-files.ts';

/**
 * SRA-Bench (arXiv 2604.24594, github.com/oneal2000/SR-Agents, `data/bench`): `corpus/corpus.json`, an array
 * of `{skill_id, name, description, content}`, unzipped; and `instances/<name>.json`, arrays of
 * `{instance_id, question, skill_annotations}`. A split is one file of instances, all by default.
 *
 * Its rule: an instance without annotations is not scored. The request is the bare question, without the
 * prompt that the benchmark's own retrieval puts round it.
 */
export const sraBench: DatasetFormat = {
  name: 'sra-bench',
  files: ['corpus/corpus.json', 'instances'],
  async read(folder, split): Promise<Dataset> {
    const names = (await readdir(join(folder, 'instances')))
      .filter((file) => file.endsWith('.json'))
      .map((file) => file.slice(0, -'.json'.length))
      .sort();
    if (split !== undefined && !names.includes(split)) throw unknownSplit(split, names);

    const corpus = join(folder, 'corpus/corpus.json');
    const skills = new ById<Skill>('skill_id');
    for (const record of await readJsonArray(corpus)) {
      const id = record.filled('skill_id');
      skills.add(id, toSkill(id, record.content('content'), corpus), record.place);
    }

    const requests = new ById<EvalRequest>('instance_id');
    let bare = 0;
    for (const name of split === undefined ? names : [split]) {
      for (const record of await readJsonArray(join(folder, 'instances', `${name}.json`))) {
        const annotated = record.texts('skill_annotations');
        if (annotated.length === 0) {
          bare += 1;
          continue;
        }
        const id = record.filled('instance_id');
        const gold = knownGold(annotated, skills, record.place);
        requests.add(id, { id, text: record.filled('question'), gold }, record.place);
      }
    }
    return {
      name: split === undefined ? nameOf(folder) : `${nameOf(folder)}/${split}`,
      format: sraBench.name,
      skills: skills.records,
      requests: requests.records,
      notes: bare === 0 ? [] : [`${bare} instances left out: no skill annotations`],
    };
  },
};
