import type { Command } from 'commander';
import { addNeighbourhoodsCommand } from './neighbourhoods-command.ts';

/** `skillspan pages …`: what tells confusable skills apart, written down once and kept true. */
export function addPagesCommand(program: Command): void {
  const pages = program
    .command('pages')
    .description('what tells confusable skills apart: find, compile and audit capability pages');
  addNeighbourhoodsCommand(pages);
}
