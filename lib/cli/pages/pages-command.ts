import type { Command } from 'commander';
import { addAuditCommand } from './audit-command.ts';
import { addChooseCommand } from './choose-command.ts';
import { addCompileCommand } from './compile-command.ts';
import { addNeighbourhoodsCommand } from './neighbourhoods-command.ts';
import { addStatusCommand } from './status-command.ts';

/** `skillspan pages …`: what tells confusable skills apart, written down once and kept true. */
export function addPagesCommand(program: Command): void {
  const pages = program
    .command('pages')
    .description('what tells confusable skills apart: find, compile and audit capability pages');
  addNeighbourhoodsCommand(pages);
  addCompileCommand(pages);
  addAuditCommand(pages);
  addStatusCommand(pages);
  addChooseCommand(pages);
}
