import { defineConfig, type TestProjectConfiguration } from 'vitest/config';
import { loadNative } from './lib/native.ts';

// The numeric tests run once for every instruction set of this machine, and once on the baseline, all
// through the public API. Variables are set before a worker starts, so the addon sees them.
const variants: [name: string, env: Record<string, string>][] = [
  ['javascript', { SKILLSPAN_NATIVE: '0' }],
  ...loadNative()
    .info()
    .supportedIsas.map((isa): [string, Record<string, string>] => [isa, { SKILLSPAN_ISA: isa }]),
];

const numeric = variants.map(
  ([name, env]): TestProjectConfiguration => ({
    extends: true,
    test: {
      name,
      env,
      include: [
        'test/numeric/**/*.test.ts',
        ...(name === 'javascript' ? ['test/routing/**/*.test.ts'] : []),
      ],
    },
  }),
);

export default defineConfig({
  test: {
    // onnxruntime-node rejects typed arrays of another realm, which vm pools make.
    pool: 'forks',
    setupFiles: ['test/support/seed.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    projects: [
      ...numeric,
      {
        extends: true,
        test: { name: 'package', include: ['test/**/*.test.ts'], exclude: ['test/numeric/**'] },
      },
    ],
  },
});
