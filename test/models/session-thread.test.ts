import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, it } from 'vitest';
import { OnnxEncoder } from '../../lib/models/encoder.ts';
import { defaultModelFolder, readModelFolder } from '../../lib/models/model-folder.ts';
import { SessionThread } from '../../lib/models/session-thread.ts';
import { runModule } from '../support/fresh-process.ts';

const encoder = await OnnxEncoder.open({ threads: 1, remembered: 0 });
afterAll(() => encoder.dispose());

it('leaves the event loop free while a model runs', async () => {
  // A run of 256 tokens takes tens of milliseconds, and there are 16 of them.
  const texts = Array.from({ length: 16 }, (_, i) => `number ${i} ${'word '.repeat(400)}`);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  delay.enable();
  await encoder.encode(texts, { kind: 'document' });
  delay.disable();
  clearInterval(timer);
  // Blocked by each run, the loop would have had some 16 turns.
  expect(turns).toBeGreaterThan(50);
  expect(delay.count).toBeGreaterThan(50);
});

it('gives the same vectors whatever else is in a run', async () => {
  const texts = Array.from({ length: 24 }, (_, i) => `${'skill '.repeat(i % 9)}number ${i}`);
  const together = await encoder.encode(texts, { kind: 'query' });
  let furthest = 0;
  for (const [i, text] of texts.entries()) {
    const alone = await encoder.encode([text], { kind: 'query' });
    for (const [d, value] of alone.entries()) {
      furthest = Math.max(furthest, Math.abs(value - together[i * encoder.dim + d]!));
    }
  }
  expect(furthest).toBeLessThan(2e-6);
});

it('says so where its thread ends in the middle of its work', async () => {
  const { onnxFile } = await readModelFolder(await defaultModelFolder());
  const options = { onnxFile, purpose: 'embed', provider: 'cpu', threads: 1 } as const;
  const thread = await SessionThread.open(options);
  const batch = { rows: 1, width: 1, ids: Int32Array.of(101), mask: Uint8Array.of(1) };
  const closed = thread.release();
  const run = thread.run(batch, { kind: 'pool', pooling: 'cls' });
  await expect(run).rejects.toMatchObject({ code: 'ERR_MODEL_FAILED' });
  await closed;
});

const OPEN = `
  const { OnnxEncoder } = await import('skillspan');
  const encoder = await OnnxEncoder.open();
  const vectors = await encoder.encode(['a'], { kind: 'query' });
  console.log(vectors.length);`;

it.each([
  ['disposed of', `${OPEN} await encoder.dispose();`],
  ['left as it is', OPEN],
  ['left in the middle of its work', `${OPEN} encoder.encode(['b'], { kind: 'query' });`],
])('lets a process end whose model is %s', (_, source) => {
  expect(runModule(source)).toEqual({ status: 0, signal: null, stdout: '384\n', stderr: '' });
});

it('works within a thread, and for CommonJS', () => {
  const inner = `(async () => {
    const { OnnxEncoder } = require('skillspan');
    const encoder = await OnnxEncoder.open();
    const vectors = await encoder.encode(['a'], { kind: 'query' });
    await encoder.dispose();
    require('node:worker_threads').parentPort.postMessage(vectors.length);
  })()`;
  const source = `
    import { Worker } from 'node:worker_threads';
    const worker = new Worker(${JSON.stringify(inner)}, { eval: true, execArgv: [] });
    worker.on('message', (message) => console.log(message));`;
  const { stdout, status } = runModule(source);
  expect([stdout, status]).toEqual(['384\n', 0]);
});
