// Fails unless prebuilds/ holds exactly what a release ships, each file being what its name says:
//   node scripts/check-prebuilds.mjs          every file of scripts/prebuilds.json
//   node scripts/check-prebuilds.mjs FILE...  only these, and others may be missing
// prebuildify tags the files of every system but Alpine "glibc", those of macOS and Windows too.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'prebuilds');

// What the official builds of Node 20 need themselves, so it is there wherever they run.
const newest = { GLIBC: '2.28', GLIBCXX: '3.4.25' };

const later = (a, b) => a.localeCompare(b, 'en', { numeric: true }) > 0;

/** `linux-x64` and the like, from the header of an ELF, Mach-O or PE file. */
function platformOf(bytes) {
  const word = (at) => (at + 4 <= bytes.length ? bytes.readUInt32LE(at) : 0);
  const half = (at) => word(at) & 0xffff;
  if (word(0) === 0x464c457f) return `linux-${{ 62: 'x64', 183: 'arm64' }[half(18)]}`;
  if (word(0) === 0xfeedfacf) {
    return `darwin-${{ 16777223: 'x64', 16777228: 'arm64' }[word(4)]}`;
  }
  const pe = word(0x3c);
  if (half(0) === 0x5a4d && word(pe) === 0x4550) {
    return `win32-${{ 34404: 'x64', 43620: 'arm64' }[half(pe + 4)]}`;
  }
  return 'no executable format that is known';
}

function* faultsOf(file) {
  let bytes;
  try {
    bytes = readFileSync(join(folder, file));
  } catch (error) {
    yield error.code === 'ENOENT' ? 'missing' : error.message;
    return;
  }
  const [platform] = file.split('/');
  const found = platformOf(bytes);
  if (found !== platform) yield `expected an addon for ${platform}, got ${found}`;
  if (!platform.startsWith('linux-')) return;

  const text = bytes.toString('latin1');
  const musl = file.endsWith('.musl.node');
  for (const [library, limit] of Object.entries(newest)) {
    const needed = [...text.matchAll(new RegExp(`\\b${library}_([0-9.]+)`, 'g'))].map((m) => m[1]);
    const highest = needed.reduce((a, b) => (later(a, b) ? a : b), '0');
    if (library === 'GLIBC' && musl !== (highest === '0')) {
      yield `expected a build against ${musl ? 'musl' : 'glibc'}, got the other`;
    } else if (!musl && later(highest, limit)) {
      yield `needs ${library} ${highest}; expected at most ${limit}: build it on an older system`;
    }
  }
}

const expected = JSON.parse(readFileSync(join(root, 'scripts/prebuilds.json'), 'utf8'));
const known = expected.map(({ file }) => file);
const chosen = process.argv.length > 2 ? process.argv.slice(2) : known;

const faults = chosen.flatMap((file) =>
  known.includes(file)
    ? [...faultsOf(file)].map((fault) => `${file}: ${fault}`)
    : [`${file}: not in scripts/prebuilds.json`],
);
for (const file of readdirSync(folder, { recursive: true }).map((path) =>
  path.replaceAll('\\', '/'),
)) {
  if (file.endsWith('.node') && !known.includes(file)) faults.push(`${file}: not expected`);
}

for (const fault of faults) console.error(`prebuilds/${fault}`);
console.log(`${chosen.length} prebuilds expected, ${faults.length} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
