import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { type RouteOptions, type Skill, SkillRouter } from '../../lib/index.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const WORDS = 'pdf mail sheet chart image video deploy test review search plan budget'.split(' ');

function skill(i: number, requires: string[] = []): Skill {
  const words = [0, 1, 2].map((t) => WORDS[(i * (t + 2) + t) % WORDS.length]!);
  const name = `${words[0]}-${words[1]}-${i}`;
  return {
    id: `s${String(i).padStart(2, '0')}`,
    name,
    description: `${words.join(' ')} for everybody`,
    body: `${words.join(' ')} `.repeat(1 + (i % 7)),
    path: `/registry/${name}/SKILL.md`,
    metadata: requires.length > 0 ? { requires } : {},
    contentHash: String(i),
  };
}

// s03 needs s07 by id and, through it, s11 by name; s20 and s21 need each other.
const skills = Array.from({ length: 40 }, (_, i) => {
  const needs: Record<number, string[]> = {
    3: ['s07'],
    7: [skill(11).name],
    20: ['s21'],
    21: ['s20'],
  };
  return skill(i, needs[i]);
});
const ids = skills.map(({ id }) => id);
const tokensOf = ({ name, description, body }: Skill) =>
  [name, description, body].reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
const tokens = new Map(skills.map((one) => [one.id, tokensOf(one)]));

let router: SkillRouter;
beforeAll(async () => {
  router = await SkillRouter.from(skills, {
    encoder: new WordEncoder(),
    cacheDir: await temporaryFolder(),
  });
});

const shortlist = async (request: string, options: RouteOptions) =>
  (await router.route(request, options)).skills.map(({ id }) => id);

const requests = fc
  .array(fc.constantFrom(...WORDS, 'and then', '. Also', 'please'), { minLength: 1, maxLength: 14 })
  .map((words) => words.join(' '));
const someIds = fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 6 });

describe('the policy', () => {
  it('keeps what is pinned, shows nothing that is excluded, and stays within its budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        requests,
        someIds,
        someIds,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 20, max: 400 }),
        fc.integer({ min: 1, max: 12 }),
        fc.constantFrom('dsr' as const, 'mmr' as const, 'topk' as const),
        fc.boolean(),
        async (request, pinned, excluded, k, most, count, method, adaptive) => {
          const options: RouteOptions = {
            k,
            method,
            adaptive,
            pinned: pinned.filter((id) => !excluded.includes(id)),
            excluded,
            budget: { tokens: most, count },
          };
          const result = await router.route(request, options).catch((error) => {
            // The pinned skills alone do not fit.
            expect(error).toMatchObject({ code: 'ERR_OUT_OF_RANGE' });
            expect(error.message).toContain('budget: expected room for the pinned skills');
            return undefined;
          });
          if (!result) return;
          const chosen = result.skills.map(({ id }) => id);
          expect(new Set(chosen).size).toBe(chosen.length);
          expect(chosen).toEqual(expect.arrayContaining(options.pinned as string[]));
          const sum = chosen.reduce((total, id) => total + tokens.get(id)!, 0);
          expect(sum).toBeLessThanOrEqual(most);
          expect(result.trace.tokens).toBe(sum);
          expect(chosen.length).toBeLessThanOrEqual(count);
          const own = result.skills.filter(({ reason }) => reason !== 'prerequisite');
          expect(own.length).toBeLessThanOrEqual(Math.max(k, options.pinned!.length));
          // A prerequisite is needed even where it was not asked for by itself.
          for (const { id } of own) expect(excluded).not.toContain(id);
        },
      ),
      {
        numRuns: 150,
        // Near-copies, all of them pinned.
        examples: [['pdf', ['s00', 's12', 's03', 's36', 's39'], [], 1, 175, 7, 'dsr', false]],
      },
    );
  });

  it('tells the truth in its trace', async () => {
    await fc.assert(
      fc.asyncProperty(requests, someIds, async (request, pinned) => {
        const { skills: chosen, trace } = await router.route(request, { k: 6, pinned });
        const pool = new Map(trace.pool.map((candidate) => [candidate.id, candidate]));
        for (const one of chosen) {
          const candidate = pool.get(one.id);
          if (one.reason === 'prerequisite') continue;
          expect(candidate).toMatchObject({ chosen: true, score: one.score, facets: one.facets });
          for (const f of one.facets) expect(trace.facets[f]).toBeTypeOf('string');
          expect(one.reason === 'pinned').toBe(pinned.includes(one.id));
        }
        const marked = trace.pool.filter((candidate) => candidate.chosen);
        const own = chosen.filter(({ reason }) => reason !== 'prerequisite');
        expect(marked.length).toBe(own.length);
        const qualities = trace.pool.map(({ quality }) => quality);
        expect(qualities).toEqual([...qualities].sort((a, b) => b - a));
        for (const { nearest } of trace.pool) if (nearest) expect(pool.has(nearest.id)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps the order of equal shortlists equal, where asked to', async () => {
    const sorted = await shortlist('pdf chart', { k: 5, order: 'id' });
    expect(sorted).toEqual([...sorted].sort());
    expect(new Set(sorted)).toEqual(new Set(await shortlist('pdf chart', { k: 5 })));
    expect(await shortlist('pdf chart', { k: 5 })).toEqual(await shortlist('pdf chart', { k: 5 }));
  });

  it('applies an allow-list before it searches, and an empty one allows nothing', async () => {
    const allowed = ['s05', 's30', 's31'];
    expect((await shortlist('pdf', { allowed })).sort()).toEqual(allowed);
    const { skills: none, noMatch } = await router.route('pdf', { allowed: [] });
    expect(none).toEqual([]);
    expect(noMatch).toEqual({ reason: 'no skill may be chosen', score: undefined });
    const rest = await shortlist('pdf', { k: 40, excluded: ids.slice(3) });
    expect(rest.sort()).toEqual(['s00', 's01', 's02']);
  });

  it('chooses around what is pinned', async () => {
    const copy = { ...skill(2), id: 'copy', path: '/registry/copy/SKILL.md' };
    const doubled = await SkillRouter.from([...skills, copy], {
      encoder: new WordEncoder(),
      cacheDir: await temporaryFolder(),
    });
    const request = `${skill(2).name.replaceAll('-', ' ')} ${skill(2).description}`;
    const free = (await doubled.route(request, { k: 4 })).skills;
    expect(free.filter(({ id }) => id === 's02' || id === 'copy').length).toBe(1);
    const { skills: around } = await doubled.route(request, { k: 4, pinned: ['copy'] });
    expect(around.find(({ id }) => id === 'copy')).toMatchObject({ reason: 'pinned' });
    expect(around.some(({ id }) => id === 's02')).toBe(false);
  });

  it('keeps a skill that the request calls by its name, but not against an exclusion', async () => {
    const { name, id } = skill(33);
    const called = await router.route(`budget plan, with /${name}`, { k: 3 });
    expect(called.skills.find((one) => one.id === id)).toMatchObject({ reason: 'named' });
    const pool = (text: string, options: RouteOptions = {}) =>
      router.route(text, { candidates: 1, k: 1, ...options }).then(({ trace }) => trace.pool);
    const found = (await pool(`mail mail mail ${name.replaceAll('-', ' ')}`)).map((one) => one.id);
    expect(found).toContain(id);
    expect(await shortlist(`use ${name}`, { k: 3, excluded: [id] })).not.toContain(id);
  });

  it('brings what a chosen skill requires, and what that requires', async () => {
    const { skills: chosen } = await router.route('anything', { k: 1, pinned: ['s03'] });
    const reasons = chosen.map(({ id, reason }) => [id, reason]);
    expect(Object.fromEntries(reasons)).toEqual({
      s03: 'pinned',
      s07: 'prerequisite',
      s11: 'prerequisite',
    });
    const both = await shortlist('anything', { k: 2, pinned: ['s20', 's21'] });
    expect(both.sort()).toEqual(['s20', 's21']);
  });

  it('passes over a skill that does not fit with what it requires', async () => {
    const chosen = await shortlist(skill(3).description, { k: 3, budget: { count: 2 } });
    expect(chosen).not.toContain('s03');
    expect(chosen.length).toBe(2);
  });

  it('says that nothing matches, instead of showing what does not', async () => {
    const {
      skills: none,
      noMatch,
      trace,
    } = await router.route('quantum gardening', {
      minScore: 5,
    });
    expect(none).toEqual([]);
    expect(trace.pool).toEqual([]);
    expect(noMatch!.reason).toMatch(/^the best score is -?\d\.\d{3}, and 5 is asked for$/);
    const pinned = await router.route('quantum gardening', { minScore: 5, pinned: ['s01'] });
    expect(pinned.skills.map(({ id }) => id)).toEqual(['s01']);
    expect(pinned.noMatch).toBeDefined();
    const scores = (await router.route('pdf mail', { k: 40 })).trace.pool.map(({ score }) => score);
    const cut = (scores[2]! + scores[3]!) / 2;
    expect((await router.route('pdf mail', { k: 40, minScore: cut })).skills.length).toBe(3);
  });

  it('stops where a further skill adds nothing, if asked to', async () => {
    const all = await router.route(skill(5).description, { k: 10 });
    const few = await router.route(skill(5).description, { k: 10, adaptive: true });
    expect(few.skills.length).toBeLessThan(all.skills.length);
    expect(few.skills.length).toBeGreaterThan(0);
    const first = all.skills.filter(({ step }) => step! <= few.skills.length);
    expect(few.skills.map(({ id }) => id).sort()).toEqual(first.map(({ id }) => id).sort());
  });
});

describe('retrievers', () => {
  it.each(['hybrid', 'dense', 'bm25', 'tfidf'] as const)(
    '%s finds what is asked for',
    async (retriever) => {
      const { name, id } = skill(9);
      const words = name.replaceAll('-', ' ');
      const { skills: chosen, trace } = await router.route(words, { retriever, k: 3 });
      expect(chosen.map((one) => one.id)).toContain(id);
      expect(trace.retriever).toBe(retriever);
      if (retriever === 'dense') expect(trace.pool.every((one) => one.words === 0)).toBe(true);
    },
  );

  it('go on by words alone where the encoder fails, and say so', async () => {
    const encoder = new WordEncoder();
    const broken = await SkillRouter.from(skills, { encoder, cacheDir: await temporaryFolder() });
    encoder.encode = () => Promise.reject(new Error('the model is gone'));
    const { skills: chosen, trace } = await broken.route('chart image', { k: 4 });
    expect(trace.degraded).toBe('no embeddings, words alone: the model is gone');
    const own = chosen.filter(({ reason }) => reason === 'chosen');
    expect(own.length).toBe(4);
    for (const { description } of own) expect(description).toMatch(/chart|image/);
  });
});

describe('a conversation', () => {
  it('is read by its last turns, and its last request is what is split', async () => {
    const { trace } = await router.route([
      { role: 'user', content: 'forget this' },
      { role: 'user', content: 'I want to work on my pdf' },
      { role: 'assistant', content: 'Gladly. What with it?' },
      { role: 'user', content: 'Chart the numbers of it. Then mail the chart to everybody.' },
    ]);
    expect(trace.facets.map((facet) => facet.slice(0, 10))).toEqual(['Chart the ', 'Then mail ']);
  });

  it.each([
    [[], 'request: expected a turn of the user, got an array of 0'],
    [[{ role: 'assistant', content: 'hello' }], 'request: expected a turn of the user'],
    [[{ role: 'user', content: ' ' }], 'request[0].content: expected a text, got " "'],
  ])('is refused where nothing is asked: %j', async (turns, message) => {
    await expect(router.route(turns as never)).rejects.toThrow(message);
  });
});

describe('facets', () => {
  it('may be given by the caller, or be done without', async () => {
    const text = 'Chart the numbers of it. Then mail the chart to everybody.';
    const given = ['chart numbers', 'mail a chart'];
    expect((await router.route(text, { facets: given })).trace.facets).toEqual(given);
    expect((await router.route(text, { facets: false })).trace.facets).toEqual([]);
    await expect(router.route(text, { facets: ['x', ''] })).rejects.toThrow(
      'facets[1]: expected a text, got ""',
    );
  });
});

describe('bad options', () => {
  it.each<[RouteOptions, string]>([
    [{ pinned: ['s99'] }, 'pinned[0]: expected the id of a skill, got "s99"'],
    [{ excluded: 's01' as never }, 'excluded: expected ids of skills, got "s01"'],
    [
      { pinned: ['s01'], excluded: ['s01'] },
      'pinned[0]: expected a skill that is allowed and not excluded, got "s01"',
    ],
    [{ retriever: 'sparse' as never }, 'retriever: expected one of hybrid, dense, bm25, tfidf'],
    [{ order: 'random' as never }, 'order: expected quality or id, got "random"'],
    [{ budget: { tokens: 0 } }, 'budget.tokens: expected a whole number from 1'],
    [{ budget: { count: 1.5 } }, 'budget.count: expected a whole number from 1'],
    [{ minScore: Number.NaN }, 'minScore: expected a number from -10 to 10, got NaN'],
    [{ k: 5, candidates: 4 }, 'candidates: expected a whole number from 5'],
  ])('%j', async (options, message) => {
    await expect(router.route('pdf', options)).rejects.toThrow(message);
  });
});
