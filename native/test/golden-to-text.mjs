// Rewrites the golden answers for golden_test.cc: a line `case NAME`, then a line for each field,
// its name followed by its numbers. JavaScript prints the shortest decimals that read back as the
// same double.
import { readFileSync, writeFileSync } from 'node:fs';

const [from, to] = process.argv.slice(2);
const { cases } = JSON.parse(readFileSync(from, 'utf8'));
const lines = cases.flatMap(({ name, ...fields }) => [
  `case ${name}`,
  ...Object.entries(fields).map(([field, numbers]) => [field, numbers].flat().join(' ')),
]);
writeFileSync(to, `${lines.join('\n')}\n`);
