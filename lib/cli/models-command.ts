import type { Command } from 'commander';
import { Option } from 'commander';
import { DEVICES, type Device, preferredDtypes } from '../models/devices.ts';
import { OnnxEncoder } from '../models/encoder.ts';
import { cachedRepositories, hubCacheDir } from '../models/hub-cache.ts';
import { download } from '../models/hub-download.ts';
import { ONNX_FILES } from '../models/model-folder.ts';
import { type Dtype, findPreset, PRESETS } from '../models/presets.ts';
import { OnnxReranker } from '../models/reranker.ts';
import { progressBar } from './progress.ts';

interface ModelFlags {
  preset?: string;
  device?: Device;
  dtype?: Dtype;
}

const SENTENCES = ['extract the tables of a PDF file', 'book a table in a restaurant'] as const;

/** `skillspan models list|pull|check`: what models there are, fetching one, and trying one. */
export function addModelsCommand(program: Command): void {
  const models = program.command('models').description('encoders and rerankers');
  models
    .command('list')
    .description('the presets, and what the cache of the hub holds')
    .action(async () => console.log(await list()));
  withModel(models.command('pull'), 'fetch a model into the cache of the hub').action(
    async (model: string, { dtype }: ModelFlags) => {
      const repository = findPreset(model)?.hub ?? model;
      const bar = progressBar(repository);
      try {
        const dtypes = dtype ? [dtype] : preferredDtypes('cpu');
        const onDownload = (_: string, done: number, total: number) => bar.step(done, total);
        console.log(await download(repository, dtypes, { onDownload }));
      } finally {
        bar.stop();
      }
    },
  );
  withModel(models.command('check'), 'open a model, and try it on two sentences')
    .option('--preset <name>', 'what a folder is a model of')
    .addOption(new Option('--device <name>', 'what to run it on').choices(DEVICES))
    .action(async (model: string, flags: ModelFlags) => console.log(await check(model, flags)));
}

function withModel(command: Command, description: string): Command {
  return command
    .description(description)
    .argument('<model>', 'a preset, a hub repository or a folder')
    .addOption(
      new Option('--dtype <name>', 'number type of its weights').choices(Object.keys(ONNX_FILES)),
    );
}

async function list(): Promise<string> {
  const lines = Object.entries(PRESETS).map(([name, preset]) => {
    const { kind, hub, files, tokens } = preset;
    const shape = preset.kind === 'encoder' ? `${preset.dim}-d, ${preset.pooling}` : '';
    const types = files.length > 0 ? files.join(' ') : 'to be exported';
    return [
      name.padEnd(22),
      kind.padEnd(10),
      shape.padEnd(12),
      `${tokens}`.padStart(6),
      types.padEnd(19),
      hub,
    ].join('  ');
  });
  const cached = await cachedRepositories();
  return [
    ...lines,
    '',
    `in ${hubCacheDir()}: ${cached.length > 0 ? cached.join(', ') : 'none'}`,
  ].join('\n');
}

async function check(model: string, { preset, device, dtype }: ModelFlags): Promise<string> {
  const options = {
    model,
    ...(preset && { preset }),
    ...(device && { device }),
    ...(dtype && { dtype }),
  };
  const kind = findPreset(preset ?? model)?.kind ?? 'encoder';
  const started = performance.now();
  if (kind === 'encoder') {
    const encoder = await OnnxEncoder.open(options);
    const opened = performance.now();
    const vectors = await encoder.encode(SENTENCES, { kind: 'document' });
    const done = performance.now();
    await encoder.dispose();
    const { dim, pooling = 'in the graph', provider } = encoder;
    const cosine = vectors
      .subarray(0, dim)
      .reduce((sum, value, i) => sum + value * vectors[dim + i]!, 0);
    return (
      `encoder, ${dim}-d, pooling ${pooling}, on ${provider}: opened in ${ms(opened - started)}, ` +
      `two sentences in ${ms(done - opened)}, their cosine ${cosine.toFixed(3)}`
    );
  }
  const reranker = await OnnxReranker.open(options);
  const opened = performance.now();
  const logits = await reranker.score('get the tables out of a PDF', SENTENCES);
  const done = performance.now();
  await reranker.dispose();
  return (
    `${kind}, on ${reranker.provider}: opened in ${ms(opened - started)}, ` +
    `two sentences in ${ms(done - opened)}, logits ${logits[0]!.toFixed(2)} and ${logits[1]!.toFixed(2)}`
  );
}

function ms(duration: number): string {
  return `${duration.toFixed(0)} ms`;
}
