import { type Command, Option } from 'commander';
import { METHODS, type Method } from '../contract.ts';
import type { RouteResult, ShortlistedSkill } from '../routing/types.ts';
import { number } from './arguments.ts';
import { type OpenOptions, openRegistry, printWarnings } from './open.ts';

interface RouteFlags extends OpenOptions {
  registry: string[];
  k: number;
  candidates?: number;
  lambda?: number;
  method: Method;
  json?: boolean;
}

/** `skillspan route "<request>" --registry <dir…>`: the set of skills that covers a request. */
export function addRouteCommand(program: Command): void {
  program
    .command('route')
    .description('choose the set of skills that together covers a request')
    .argument('<request>', 'what the user asks for')
    .requiredOption('--registry <dir...>', 'registry folders')
    .option('-k <number>', 'shortlist size', number, 10)
    .option('--candidates <number>', 'candidate pool size (default: 50)', number)
    .option(
      '--lambda <number>',
      'mixing coefficient; for mmr the weight of relevance (default: 0.85)',
      number,
    )
    .addOption(new Option('--method <name>', 'how to choose').choices(METHODS).default('dsr'))
    .option('--model <folder>', 'model folder (default: the bge-small-en-v1.5 package)')
    .option(
      '--cache <folder>',
      'where embeddings are kept (default: .skillspan in the first folder)',
    )
    .option('--json', 'print the result and its whole trace as JSON')
    .action(async (request: string, flags: RouteFlags) => {
      const router = await openRegistry(flags.registry, flags);
      const { k, candidates, lambda, method } = flags;
      const result = await router.route(request, {
        k,
        method,
        ...(candidates !== undefined && { candidates }),
        ...(lambda !== undefined && { lambda }),
      });
      await router.dispose();
      printWarnings(router.report);
      console.log(
        flags.json ? JSON.stringify(result, undefined, 2) : render(result, router.report.skills),
      );
    });
}

function render({ skills, trace }: RouteResult, registrySize: number): string {
  const widest = Math.max(...skills.map(({ name }) => name.length));
  const lines = skills.flatMap((skill) => [headline(skill, widest), ...keptOut(skill)]);
  const { method, lambda, candidates, filled, milliseconds } = trace;
  const parameters =
    method === 'topk' || method === 'dpp-cosine' ? method : `${method}, lambda ${lambda}`;
  return [
    ` #  ${'skill'.padEnd(widest)}  quality  step  id`,
    ...lines,
    '',
    `${skills.length} of ${registrySize} skills, from ${candidates} candidates by ${parameters}` +
      `${filled ? `, ${filled} filled by quality` : ''}; ` +
      `${milliseconds.encode.toFixed(1)} ms to encode, ${milliseconds.select.toFixed(2)} ms to search and select`,
  ].join('\n');
}

function headline({ rank, name, quality, step, id }: ShortlistedSkill, widest: number): string {
  const place = step === undefined ? 'fill' : String(step);
  return `${String(rank).padStart(2)}  ${name.padEnd(widest)}  ${quality.toFixed(3).padStart(7)}  ${place.padStart(4)}  ${id}`;
}

function keptOut(skill: ShortlistedSkill): string[] {
  return skill.keptOut.map(
    ({ name, overlap }) => `      kept out ${name} (overlap ${overlap.toFixed(2)})`,
  );
}
