#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { SkillspanError } from '../errors.ts';
import { addEvalCommand } from './eval-command.ts';
import { addExchangeCommands } from './exchange-commands.ts';
import { addLintCommand } from './lint-command.ts';
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
addExchangeCommands(program);
addLintCommand(program);
addModelsCommand(program);
addPagesCommand(program);

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof SkillspanError)) throw error;
  console.error(`skillspan: ${error.message} [${error.code}]`);
  process.exitCode = 1;
}
