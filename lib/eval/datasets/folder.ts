import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegistry, type Skill } from '../../registry/registry.ts';
import { ById, type Dataset } from './dataset.ts';
import { type DatasetFormat, nameOf } from './format.ts';
import { readRequests } from './json-lines.ts';

/**
 * A registry of SKILL.md files, in `skills/` where there is such a folder and else beside the requests; and
 * `requests.jsonl`: `{id, text, gold: [skill id…], split}`. A split is the requests with that `split`.
 */
export const registryFolder: DatasetFormat = {
  name: 'registry-folder',
  files: ['requests.jsonl'],
  async read(folder, split): Promise<Dataset> {
    const inner = join(folder, 'skills');
    const root = (await isFolder(inner)) ? inner : folder;
    const registry = await readRegistry(root);
    const skills = new ById<Skill>('id');
    for (const skill of registry.skills) skills.add(skill.id, skill, skill.path);
    const { length } = registry.warnings;
    return {
      name: nameOf(folder),
      format: registryFolder.name,
      skills: registry.skills,
      requests: await readRequests(join(folder, 'requests.jsonl'), 'id', skills, split),
      notes: length === 0 ? [] : [`${length} warnings on reading the registry`],
    };
  },
};

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
