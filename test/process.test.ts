import { describe, expect, it } from 'vitest';
import { runModule } from './support/fresh-process.ts';

const setup = `
  import { VectorIndex, nativeInfo, SkillspanError } from './dist/index.js';
  const dim = 64, n = 20_000;
  const values = Float32Array.from({ length: n * dim }, (_, i) => Math.sin(i * 12.9898));
`;

describe('loading', () => {
  it('says what it runs on', () => {
    const { stdout } = runModule(`${setup} console.log(JSON.stringify(nativeInfo()));`);
    const info = JSON.parse(stdout);
    expect(info.supportedIsas).toContain('portable');
    expect(info.isa).toBe(info.supportedIsas.at(-1));
    expect(info.threads).toBeGreaterThanOrEqual(1);
    expect(info.build).toMatch(/^C\+\+17, /);
  });

  it('obeys SKILLSPAN_ISA, SKILLSPAN_THREADS and SKILLSPAN_NATIVE', () => {
    const print = `${setup} const { isa, threads } = nativeInfo(); console.log(isa, threads);`;
    expect(runModule(print, { SKILLSPAN_ISA: 'portable', SKILLSPAN_THREADS: '1' }).stdout).toBe(
      'portable 1\n',
    );
    expect(runModule(print, { SKILLSPAN_NATIVE: '0' }).stdout).toBe('javascript 1\n');
  });

  it('refuses an instruction set that it does not have, in words', () => {
    const { stdout } = runModule(
      `${setup} try { nativeInfo() } catch (e) { console.log(e instanceof SkillspanError, e.code, e.message) }`,
      { SKILLSPAN_ISA: 'mmx' },
    );
    expect(stdout).toMatch(
      /^true ERR_NATIVE_LOAD .*expected one of portable.*got mmx.*SKILLSPAN_NATIVE=0/,
    );
  });
});

describe('the end of a process', () => {
  it('comes by itself once the work is done', () => {
    const { status, stdout } = runModule(`${setup}
      const { ids } = await VectorIndex.from(values, { dim }).search(values.subarray(0, dim), 1);
      console.log(ids[0]);`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: '0\n' });
  });

  it('does not wait for, or crash on, searches in flight', () => {
    const { status, signal } = runModule(`${setup}
      const index = VectorIndex.from(values, { dim });
      for (let i = 0; i < 8; i++) index.search(values, 10);
      setTimeout(() => process.exit(7), 20);`);
    expect({ status, signal }).toEqual({ status: 7, signal: null });
  });
});

describe('worker threads', () => {
  const worker = `
    import { parentPort, workerData } from 'node:worker_threads';
    const { VectorIndex, SkillspanError } = await import(workerData);
    const dim = 64;
    const values = Float32Array.from({ length: 20_000 * dim }, (_, i) => Math.sin(i * 12.9898));
    const index = VectorIndex.from(values, { dim });
    const { ids } = await index.search(values.subarray(5 * dim, 6 * dim), 1);
    let error;
    try { index.searchSync(values.subarray(0, dim), 0) } catch (e) { error = e instanceof SkillspanError }
    parentPort.postMessage([ids[0], error]);
    if (globalThis.stay) for (;;) await index.search(values, 10);
  `;
  const start = `
    import { Worker } from 'node:worker_threads';
    const url = new URL('./dist/index.js', 'file://' + process.cwd() + '/').href;
    const code = (stay) => new URL('data:text/javascript,' + encodeURIComponent(
      (stay ? 'globalThis.stay = true;' : '') + ${JSON.stringify(worker)}));
    const run = (stay) => new Promise((resolve, reject) => {
      const w = new Worker(code(stay), { workerData: url });
      w.on('message', (m) => resolve([w, m]));
      w.on('error', reject);
    });
  `;

  it('each have their own state, errors included', () => {
    const { status, stdout, stderr } = runModule(`${setup} ${start}
      const index = VectorIndex.from(values, { dim });
      const answers = await Promise.all([run(), run(), run()]);
      console.log(JSON.stringify(answers.map(([, m]) => m)));
      await Promise.all(answers.map(([w]) => w.terminate()));
      console.log(index.searchSync(values.subarray(0, dim), 1).ids[0]);`);
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: '[[5,true],[5,true],[5,true]]\n0\n',
      stderr: '',
    });
  });

  it('can be terminated in mid-search, also where no other thread has loaded the addon', () => {
    const { status, signal, stdout } = runModule(`${start}
      for (let round = 0; round < 5; round++) {
        const [w] = await run(true);
        await new Promise((r) => setTimeout(r, 5 * round));
        await w.terminate();
      }
      console.log('alive');`);
    expect({ status, signal, stdout }).toEqual({ status: 0, signal: null, stdout: 'alive\n' });
  });
});
