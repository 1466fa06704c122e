// The objects compiled for wide instruction sets may offer the linker nothing but their table. An
// inline function of a shared header that one of them emitted would be a weak symbol holding AVX
// code, which the linker could choose for the whole program: a crash on every older machine.
import { execFileSync } from 'node:child_process';

const [nm, archive] = process.argv.slice(2);
const listing = execFileSync(nm, ['-C', '--defined-only', archive], { encoding: 'utf8' });

let object = '';
const tables = [];
const strays = [];
for (const line of listing.split('\n')) {
  if (line.endsWith(':')) object = line.slice(0, -1);
  if (!/^(code_)?kernels_(avx|neon)/.test(object)) continue;
  // `address kind name`: a capital kind is visible to other objects, and u is a unique global.
  const [, kind, name] = /^\S+ (\S) (.*)/.exec(line) ?? [];
  if (kind === undefined || (kind !== 'u' && kind === kind.toLowerCase())) continue;
  if (/^skillspan::detail::k\w+Kernels$/.test(name)) tables.push(name);
  else strays.push(`${object}: ${kind} ${name}`);
}

if (tables.length === 0) strays.push(`no table of kernels found in ${archive}`);
for (const stray of strays) console.error(stray);
console.log(`tables: ${tables.join(', ')}; other visible symbols: ${strays.length}`);
process.exit(strays.length === 0 ? 0 : 1);
