import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    // onnxruntime-node rejects typed arrays of another realm, which vm pools make.
    pool: 'forks',
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
