import { beforeAll, describe, expect, it } from 'vitest';
import { tune } from '../../lib/eval/tune.ts';
import { DEFAULT_SETTINGS, type Skill, SkillRouter } from '../../lib/index.ts';
import { temporaryFolder } from '../support/registry-folder.ts';
import { WordEncoder } from '../support/word-encoder.ts';

const WORDS = 'pdf mail sheet chart image video deploy test review search plan budget'.split(' ');

const skills: Skill[] = WORDS.flatMap((word) =>
  ['read', 'write', 'check'].map((verb) => ({
    id: `${verb}-${word}`,
    name: `${verb}-${word}`,
    description: `${verb} a ${word}`,
    body: '',
    path: `/${verb}-${word}/SKILL.md`,
    metadata: {},
    contentHash: `${verb}-${word}`,
  })),
);

const requests = WORDS.flatMap((word, i) =>
  ['read', 'write'].map((verb, j) => ({
    id: `${i}-${j}`,
    text: `Please ${verb} the ${word} for me. Then check the ${WORDS[(i + 1) % WORDS.length]} too.`,
    gold: [`${verb}-${word}`, `check-${WORDS[(i + 1) % WORDS.length]}`],
  })),
);

let router: SkillRouter;
beforeAll(async () => {
  router = await SkillRouter.from(skills, {
    encoder: new WordEncoder(),
    cacheDir: await temporaryFolder(),
  });
});

describe('tuning', () => {
  it('chooses on one half, never worse there, and measures on the other', async () => {
    const steps: number[] = [];
    const negatives = ['quantum gardening', 'the weather on mars', 'sing', 'swim across a lake'];
    const tuning = await tune(router, requests, {
      ks: [2, 3],
      negatives,
      seed: 3,
      onProgress: (done, total) => steps.push(done / total),
    });
    const { settings, tunedOn, heldOut, threshold } = tuning;
    expect(tunedOn.after.fullCoverage).toBeGreaterThanOrEqual(tunedOn.before.fullCoverage);
    expect([tunedOn.before.n, heldOut.before.n]).toEqual([12, 12]);
    expect(steps.at(-1)).toBe(1);
    expect(settings.minScore).toBe(threshold.minScore);
    expect(threshold.kept).toBeGreaterThan(0.5);
    expect(threshold.falseAnswers).toBeLessThan(threshold.kept);
    for (const name of Object.keys(settings)) expect(Object.keys(DEFAULT_SETTINGS)).toContain(name);
    expect(await tune(router, requests, { ks: [2, 3], negatives, seed: 3 })).toEqual(tuning);
    // What it writes is what a router takes.
    expect((await router.with(settings).route('read a pdf', { k: 2 })).skills.length).toBe(2);
  });

  it('refuses too few requests to say anything', async () => {
    await expect(tune(router, requests.slice(0, 19), { ks: [5], seed: 1 })).rejects.toThrow(
      'requests: expected at least 20 requests, got 19',
    );
  });
});

describe('settings', () => {
  it('are checked', () => {
    expect(() => router.with({ depth: 3 } as never)).toThrow(
      'settings: expected some of candidates, lambda, sharpness, facetWeight, minScore, got "depth"',
    );
    expect(() => router.with({ lambda: 2 })).toThrow(
      'lambda: expected a number from 0 to 1, got 2',
    );
    expect(() => router.with({ candidates: 0 })).toThrow('candidates: expected a whole number');
  });

  it('change what the router does, and no other router', async () => {
    const text = 'read a pdf';
    const strict = router.with({ minScore: 5 });
    expect((await strict.route(text)).noMatch).toBeDefined();
    expect((await router.route(text)).noMatch).toBeUndefined();
    expect((await router.with({ lambda: 0.25 }).route(text)).trace.lambda).toBe(0.25);
  });
});
