import { expect, it, vi } from 'vitest';
import { temporaryFolder, tinyReranker } from '../models/tiny-model.ts';
import { skillspan } from '../support/cli.ts';

vi.stubEnv('HF_HUB_OFFLINE', '1');

it('lists the presets and what is in the cache', async () => {
  vi.stubEnv('HF_HUB_CACHE', await temporaryFolder());
  const { stdout, status } = skillspan('models', 'list');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^sr-emb-0\.6b +encoder +1024-d, last +4096 +to be exported +pipizao\//m);
  expect(stdout).toMatch(/^in .*: none$/m);
});

it('checks an encoder', () => {
  const { stdout, status } = skillspan('models', 'check', 'bge-small-en-v1.5');
  expect(stdout).toMatch(
    /^encoder, 384-d, pooling cls, on cpu: opened in \d+ ms, two sentences in \d+ ms, their cosine 0\.\d+\n$/,
  );
  expect(status).toBe(0);
});

it('checks a reranker', async () => {
  const folder = await tinyReranker();
  const preset = ['--preset', 'ms-marco-minilm-l-6-v2'];
  const { stdout, status } = skillspan('models', 'check', folder, ...preset);
  expect(stdout).toMatch(/^classifier, on cpu: opened in .*, logits \d+\.00 and \d+\.00\n$/);
  expect(status).toBe(0);
  const missing = skillspan(
    'route',
    'a',
    '--registry',
    'examples/skills',
    '--reranker',
    `${folder}/x`,
  );
  expect([missing.status, missing.stderr]).toEqual([
    1,
    expect.stringContaining('[ERR_MODEL_NOT_FOUND]'),
  ]);
});

it('says what is missing', () => {
  const { stderr, status } = skillspan('models', 'check', 'bge-m3');
  expect(stderr).toMatch(/Xenova\/bge-m3: .*HF_HUB_OFFLINE.*\[ERR_MODEL_NOT_FOUND\]/);
  expect(status).toBe(1);
});
