// Formats the C++ sources, or checks that they are formatted:
//   node scripts/clang-format.mjs --check | --write
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const mode = process.argv[2];
if (mode !== '--check' && mode !== '--write') {
  console.error(`expected --check or --write, got ${mode ?? 'nothing'}`);
  process.exit(2);
}

// The package carries version 15 for every common system, so all of us format alike.
const binary = createRequire(import.meta.url)('clang-format').getNativeBinary();
const files = ['native', 'bench/native'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true })
    .filter((name) => /\.(cc|h|inc)$/.test(name))
    .map((name) => join(folder, name))
    .sort(),
);

const unformatted = files.filter((file) => {
  const path = join(root, file);
  const before = readFileSync(path, 'utf8');
  // The name given stands for an extension clang-format does not know.
  const after = execFileSync(binary, [`--assume-filename=${path.replace(/\.inc$/, '.h')}`], {
    input: before,
    encoding: 'utf8',
  });
  if (after !== before && mode === '--write') writeFileSync(path, after);
  return after !== before;
});

for (const file of unformatted)
  console.log(`${mode === '--write' ? 'formatted' : 'unformatted'} ${file}`);
if (mode === '--check' && unformatted.length > 0) {
  console.error(`${unformatted.length} of ${files.length} files need: npm run format`);
  process.exit(1);
}
