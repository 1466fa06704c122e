// Builds bench/native with CMake and runs it: search against our own float32 scan, and in batches
// against OpenBLAS and Eigen where they are found (Debian: libopenblas-dev, libeigen3-dev).
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nativeInfo } from '../lib/index.ts';
import { growing, wanted } from './vectors.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, 'build-bench');

function cmake(...args: string[]): void {
  execFileSync('cmake', args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

function run(...args: (string | number)[]): void {
  // OpenBLAS takes processors that are newer than itself for a Pentium 4.
  const core = nativeInfo().isa.startsWith('avx512') ? 'SkylakeX' : 'Haswell';
  const env = { OPENBLAS_CORETYPE: core, ...process.env };
  const program = join(folder, 'bench/native/skillspan_bench');
  execFileSync(program, args.map(String), { stdio: 'inherit', env });
}

cmake('-S', root, '-B', folder, '-DSKILLSPAN_BENCH=ON', '-DCMAKE_BUILD_TYPE=Release');
cmake('--build', folder, '--parallel');
const batches = '1,64,1024';
if (wanted('clustered')) {
  run('clustered', 80_000, 1_024, batches);
  run('clustered', 1_000_000, 384, '1');
}
if (wanted('iid')) run('iid', 80_000, 1_024, batches);

const grown = growing(80_000);
if (grown) {
  const temporary = mkdtempSync(join(tmpdir(), 'skillspan-bench-'));
  const files = (['vectors', 'queries'] as const).map((name) => {
    const file = join(temporary, name);
    writeFileSync(file, grown[name]);
    return file;
  });
  console.log(grown.name);
  run('files', 80_000, grown.dim, batches, ...files);
  rmSync(temporary, { recursive: true });
}
