import { type Command, Option } from 'commander';
import { METHODS, type Method } from '../contract.ts';
import { unexpected } from '../errors.ts';
import { OnnxReranker } from '../models/reranker.ts';
import type { Filter } from '../routing/filter.ts';
import { RETRIEVERS, type Retriever } from '../routing/types.ts';
import { number } from './arguments.ts';
import { type OpenOptions, openRegistry, printWarnings } from './open.ts';
import { renderExplanation, renderShortlist } from './render-route.ts';

interface RouteFlags extends OpenOptions {
  registry?: string[];
  k: number;
  candidates?: number;
  lambda?: number;
  method: Method;
  retriever: Retriever;
  facets: boolean;
  pin?: string[];
  exclude?: string[];
  allow?: string[];
  tag?: string[];
  folder?: string[];
  where?: string[];
  minScore?: number;
  tokens?: number;
  adaptive?: boolean;
  reranker: string;
  rerankBudget?: number;
  explain?: boolean;
  json?: boolean;
}

/** `skillspan route "<request>" --registry <dir…>`: the set of skills that covers a request. */
export function addRouteCommand(program: Command): void {
  program
    .command('route')
    .description('choose the set of skills that together covers a request')
    .argument('<request>', 'what the user asks for')
    .option('--registry <dir...>', 'registry folders (default: the store in --cache as it is)')
    .option('-k <number>', 'shortlist size', number, 10)
    .option('--candidates <number>', 'candidates by embedding (default: 50)', number)
    .option(
      '--lambda <number>',
      'mixing coefficient; for mmr the weight of relevance (default: 0.85)',
      number,
    )
    .addOption(new Option('--method <name>', 'how to choose').choices(METHODS).default('dsr'))
    .addOption(
      new Option('--retriever <name>', 'how to find and score candidates')
        .choices(RETRIEVERS)
        .default('hybrid'),
    )
    .option('--no-facets', 'take the request as a whole')
    .option('--pin <id...>', 'skills that are in the shortlist whatever is asked')
    .option('--exclude <id...>', 'skills that are not')
    .option('--allow <id...>', 'the only skills that may be')
    .option('--tag <name...>', 'only skills with one of these tags')
    .option('--folder <dir...>', 'only skills below one of these folders')
    .option('--where <field=value...>', 'only skills whose front matter says so')
    .option('--min-score <number>', 'choose no skill with a lower score', number)
    .option('--tokens <number>', 'tokens that the shortlist may have, estimated', number)
    .option('--adaptive', 'stop before k where a further skill adds nothing')
    .option(
      '--model <folder>',
      'a folder, a preset or a hub repository (default: the bge-small-en-v1.5 package)',
    )
    .option(
      '--cache <folder>',
      'where embeddings are kept (default: .skillspan in the first folder)',
    )
    .option('--reranker <model>', 'a preset, a hub repository or a folder; or none', 'none')
    .option('--rerank-budget <ms>', 'time for the reranker (default: no limit)', number)
    .option('--settings <file>', 'settings that `skillspan tune` wrote')
    .option('--explain', 'say of each skill and candidate why it was chosen or not')
    .option('--json', 'print the result and its whole trace as JSON')
    .action(async (request: string, flags: RouteFlags) => {
      const reranker =
        flags.reranker === 'none' ? undefined : await OnnxReranker.open({ model: flags.reranker });
      const router = await openRegistry(flags.registry, flags, reranker);
      const { k, candidates, lambda, method, retriever, facets, minScore, tokens } = flags;
      const result = await router
        .route(request, {
          k,
          method,
          retriever,
          facets,
          adaptive: flags.adaptive === true,
          ...(candidates !== undefined && { candidates }),
          ...(lambda !== undefined && { lambda }),
          ...(minScore !== undefined && { minScore }),
          ...(tokens !== undefined && { budget: { tokens } }),
          ...(flags.rerankBudget !== undefined && { rerankBudgetMs: flags.rerankBudget }),
          ...(flags.pin && { pinned: flags.pin }),
          ...(flags.exclude && { excluded: flags.exclude }),
          ...(flags.allow && { allowed: flags.allow }),
          where: filterOf(flags),
        })
        .finally(() => Promise.all([router.dispose(), reranker?.dispose()]));
      printWarnings(router.report);
      if (flags.json) {
        console.log(JSON.stringify(result, undefined, 2));
        return;
      }
      console.log(renderShortlist(result, router.report.skills));
      if (flags.explain) console.log(`\n${renderExplanation(result)}`);
    });
}

/** Several values of one field are alternatives. */
function filterOf({ tag, folder, where = [] }: RouteFlags): Filter {
  const metadata: Record<string, string[]> = {};
  for (const entry of where) {
    const [key, ...rest] = entry.split('=');
    if (rest.length === 0) {
      throw unexpected('ERR_INVALID_ARGUMENT', '--where', 'field=value', entry);
    }
    metadata[key!] = [...(metadata[key!] ?? []), rest.join('=')];
  }
  return {
    ...(tag && { tags: tag }),
    ...(folder && { folders: folder }),
    ...(where.length > 0 && { metadata }),
  };
}
