import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Encoder, SkillRouter } from '../../lib/index.ts';
import { skillText, temporaryFolder, writeTree } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const skills = {
  'pdf/read/SKILL.md': skillText(
    'pdf-read',
    'extract text from pdf files',
    'Open the pdf and read its text.',
  ),
  // The same text with another licence is another skill.
  'pdf/read-copy/SKILL.md': skillText(
    'pdf-read',
    'extract text from pdf files\nlicense: MIT',
    'Open the pdf and read its text.',
  ),
  'pdf/ocr/SKILL.md': skillText('pdf-ocr', 'extract text from scanned pdf images'),
  'mail/SKILL.md': skillText('mail', 'write and send an email message'),
  'sheet/SKILL.md': skillText('sheet', 'build a spreadsheet table with formulas'),
};

let root: string;
let encoder: WordEncoder;

beforeEach(async () => {
  root = join(await temporaryFolder(), 'reg');
  await writeTree(root, skills);
  encoder = new WordEncoder();
});

const open = () => SkillRouter.open({ registry: root, encoder });

/** The same encoder as a plain object, to be changed. */
function bound(one: WordEncoder): Encoder {
  const { dim, fingerprint } = one;
  return { dim, fingerprint, encode: (texts) => one.encode(texts), dispose: async () => {} };
}

describe('opening a registry', () => {
  it('reports what it found, and embeds each distinct text once', async () => {
    const router = await open();
    expect(router.skills.map(({ id }) => id)).toEqual([
      'reg/mail',
      'reg/pdf/ocr',
      'reg/pdf/read',
      'reg/pdf/read-copy',
      'reg/sheet',
    ]);
    expect(router.report).toMatchObject({
      skills: 5,
      embedded: 4,
      cached: 0,
      dim: 64,
      warnings: [],
    });
    expect(encoder.encoded.length).toBe(4);
  });

  it('embeds nothing the second time, and only what changed the third', async () => {
    await open();
    encoder.encoded.length = 0;
    expect((await open()).report).toMatchObject({ embedded: 0, cached: 4 });
    expect(encoder.encoded).toEqual([]);

    await writeFile(join(root, 'mail/SKILL.md'), skillText('mail', 'answer an email'));
    expect((await open()).report).toMatchObject({ embedded: 1, cached: 3 });
    expect(encoder.encoded).toEqual(['mail | answer an email | ']);
  });

  it('goes on past a broken file, with a warning that names it', async () => {
    await writeTree(root, { 'empty/SKILL.md': '---\nname: empty\n---\n' });
    const { report } = await open();
    expect(report.skills).toBe(5);
    expect(report.warnings).toMatchObject([
      { path: join(root, 'empty/SKILL.md'), code: 'empty-skill' },
    ]);
  });

  it('works, and says so, where the cache cannot be written', async () => {
    const file = join(root, 'a-file');
    await writeFile(file, '');
    const router = await SkillRouter.open({
      registry: root,
      encoder,
      cacheDir: join(file, 'cache'),
    });
    expect(router.report.cacheProblem).toContain(join(file, 'cache'));
    expect((await router.route('send an email', { k: 1 })).skills[0]!.id).toBe('reg/mail');
  });

  it('puts a damaged store aside, embeds anew and says so', async () => {
    await (await open()).dispose();
    const file = join(root, '.skillspan/skills.sqlite');
    await writeFile(file, 'not a database, though long enough to be taken for one'.repeat(100));
    const damaged = await open();
    expect(damaged.report).toMatchObject({ embedded: 4, cached: 0 });
    expect(damaged.report.cacheProblem).toContain(file);
    await damaged.dispose();
    expect((await open()).report).toMatchObject({
      embedded: 0,
      cached: 4,
      cacheProblem: undefined,
    });
  });

  it('refuses a store of another encoder, unless it is to embed anew', async () => {
    await (await open()).dispose();
    const other = new WordEncoder();
    const swapped = { ...bound(other), fingerprint: 'another-encoder-altogether' };
    await expect(SkillRouter.open({ registry: root, encoder: swapped })).rejects.toMatchObject({
      code: 'ERR_MODEL_MISMATCH',
      message: expect.stringContaining('skillspan sync --re-embed'),
    });
    expect(other.encoded).toEqual([]);
    const options = { registry: root, encoder: swapped, reEmbed: true };
    expect((await SkillRouter.open(options)).report).toMatchObject({ embedded: 4, cached: 0 });
    expect((await SkillRouter.open({ ...options, reEmbed: false })).report.embedded).toBe(0);
    await expect(open()).rejects.toMatchObject({ code: 'ERR_MODEL_MISMATCH' });
  });

  it('keeps what was embedded before an abort', async () => {
    const controller = new AbortController();
    const many = Object.fromEntries(
      Array.from({ length: 600 }, (_, i) => [`s${i}/SKILL.md`, skillText(`s${i}`, `number ${i}`)]),
    );
    await writeTree(root, many);
    const opening = SkillRouter.open({
      registry: root,
      encoder: {
        ...bound(encoder),
        encode: async (texts, { signal }) => {
          if (encoder.encoded.length >= 500) controller.abort();
          signal?.throwIfAborted();
          return encoder.encode(texts);
        },
      },
      signal: controller.signal,
    });
    await expect(opening).rejects.toMatchObject({ name: 'AbortError' });
    encoder.encoded.length = 0;
    expect((await open()).report).toMatchObject({ embedded: 604 - 512, cached: 512 });
  });

  it('refuses an empty registry and one that is not there', async () => {
    const empty = await temporaryFolder();
    await expect(SkillRouter.open({ registry: empty, encoder })).rejects.toMatchObject({
      code: 'ERR_EMPTY_INDEX',
      message: `registry: expected at least one usable SKILL.md below ${empty}, got none (0 warnings)`,
    });
    await expect(
      SkillRouter.open({ registry: join(root, 'nowhere'), encoder }),
    ).rejects.toMatchObject({ code: 'ERR_REGISTRY_NOT_FOUND' });
  });
});

describe('a router over skills in memory', () => {
  it('answers as one over the folder they came from, from the same cache', async () => {
    const opened = await open();
    encoder.encoded.length = 0;
    const { cacheDir } = opened.report;
    const router = await SkillRouter.from(opened.skills, { encoder, cacheDir });
    expect(router.report).toMatchObject({ skills: 5, embedded: 0, cached: 4, warnings: [] });
    expect(encoder.encoded).toEqual([]);
    const request = 'extract text from pdf files';
    expect((await router.route(request)).skills).toEqual((await opened.route(request)).skills);
  });

  it('refuses no skills, and two of one id', async () => {
    const options = { encoder, cacheDir: await temporaryFolder() };
    await expect(SkillRouter.from([], options)).rejects.toMatchObject({
      code: 'ERR_EMPTY_INDEX',
      message: 'skills: expected at least one skill, got none',
    });
    const [skill] = (await open()).skills;
    await expect(SkillRouter.from([skill!, skill!], options)).rejects.toMatchObject({
      code: 'ERR_INVALID_ARGUMENT',
      message: 'skills[1].id: expected an id of its own, got "reg/mail"',
    });
  });
});

describe('routing', () => {
  it('answers a set: one of two copies, and what else the request needs', async () => {
    const router = await open();
    const request = 'extract text from pdf files and send an email message';
    const { skills } = await router.route(request, { k: 3 });
    const ids = skills.map(({ id }) => id);
    expect(ids).toContain('reg/pdf/read');
    expect(ids).toContain('reg/mail');
    expect(ids).not.toContain('reg/pdf/read-copy');
    const reader = skills.find(({ id }) => id === 'reg/pdf/read')!;
    expect(reader.keptOut.map(({ id }) => id)).toEqual(['reg/pdf/read-copy']);
    expect(reader.keptOut[0]!.overlap).toBeCloseTo(1, 6);
  });

  it('with topk answers both copies, as routers that rank one by one do', async () => {
    const router = await open();
    const { skills } = await router.route('extract text from pdf files', { k: 2, method: 'topk' });
    expect(skills.map(({ id }) => id)).toEqual(['reg/pdf/read', 'reg/pdf/read-copy']);
  });

  it('says everything about each skill, and about the whole pool', async () => {
    const router = await open();
    const { skills, trace } = await router.route('build a spreadsheet table', { k: 3 });
    expect(skills.map(({ rank }) => rank)).toEqual([1, 2, 3]);
    expect(skills.map(({ step }) => step).sort()).toEqual([1, 2, 3]);
    expect(skills[0]).toMatchObject({
      id: 'reg/sheet',
      name: 'sheet',
      description: 'build a spreadsheet table with formulas',
      path: join(root, 'sheet/SKILL.md'),
      step: 1,
      quality: 1,
      gain: 0,
    });
    for (const [i, skill] of skills.entries()) {
      expect(skill.quality).toBeLessThanOrEqual(skills[Math.max(0, i - 1)]!.quality);
      expect(skill.quality).toBeCloseTo(
        Math.exp(router.settings.sharpness * (skill.score - skills[0]!.score)),
        9,
      );
    }
    expect(trace).toMatchObject({ method: 'dsr', k: 3, facets: [], lambda: 0.85, filled: 0 });
    expect(trace.pool.length).toBe(5);
    const chosen = trace.pool.filter((c) => c.chosen).map(({ id }) => id);
    expect(chosen.sort()).toEqual(skills.map(({ id }) => id).sort());
    for (const { nearest } of trace.pool) expect(chosen).toContain(nearest!.id);
  });

  it('fills by quality where only copies are left', async () => {
    const router = await open();
    const { skills, trace } = await router.route('extract text', { k: 5 });
    expect(skills.length).toBe(5);
    expect(trace.filled).toBe(1);
    expect(skills.filter(({ step }) => step === undefined).length).toBe(1);
  });

  it('gives all skills of a registry smaller than k', async () => {
    const { skills, trace } = await (await open()).route('anything');
    expect(skills.length).toBe(5);
    expect(trace).toMatchObject({ k: 5 });
    expect(trace.pool.length).toBe(5);
  });

  it.each([
    ['an empty request', '  ', {}, 'ERR_INVALID_ARGUMENT', 'request: expected a text, got "  "'],
    [
      'k = 0',
      'x',
      { k: 0 },
      'ERR_OUT_OF_RANGE',
      'k: expected a whole number from 1 to 1000000, got 0',
    ],
    [
      'candidates below k',
      'x',
      { k: 5, candidates: 4 },
      'ERR_OUT_OF_RANGE',
      'candidates: expected a whole number from 5 to 1000000, got 4',
    ],
    [
      'lambda above 1',
      'x',
      { lambda: 2 },
      'ERR_OUT_OF_RANGE',
      'lambda: expected a number from 0 to 1, got 2',
    ],
  ])('refuses %s', async (_, request, options, code, message) => {
    await expect((await open()).route(request, options)).rejects.toMatchObject({ code, message });
  });

  it('refuses after dispose, and leaves the caller its encoder', async () => {
    const router = await open();
    await router.dispose();
    await router.dispose();
    await expect(router.route('x')).rejects.toMatchObject({ code: 'ERR_DISPOSED' });
    expect(encoder.disposed).toBe(false);
  });

  it('rejects with the reason of an aborted signal', async () => {
    const reason = new Error('changed my mind');
    const signal = AbortSignal.abort(reason);
    await expect((await open()).route('x', { signal })).rejects.toBe(reason);
  });
});
