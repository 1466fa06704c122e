#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { SkillspanError } from '../errors.ts';
import { addEvalCommand } from './eval-command.ts';
import { addModelsCommand } from './models-command.ts';
import { addPagesCommand } from './pages/pages-command.ts';
import { addRouteCommand } from './route-command.ts';
import { addSyncCommand } from './sync-command.ts';
import { addTuneCommand } from './tune-command.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string };

const program = new Command('skillspan')
  .description('Chooses, out of many agent skills, the set that together covers a request.')
  .version(version)
  .showHelpAfterError();
addSyncCommand(program);
addRouteCommand(program);
addEvalCommand(program);
addTuneCommand(program);
addModelsCommand(program);
addPagesCommand(program);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof SkillspanError)) throw error;
  console.error(`skillspan: ${error.message} [${error.code}]`);
  process.exitCode = 1;
}
