import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.{ts,tsx}'],
    globalSetup: ['test/harness/global-setup.ts'],
    pool: 'forks',
    // Files of one worker share what they import, which takes longer than most of them run; each finds an empty database.
    isolate: false,
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // The same order everywhere; random runs inside tests print their own seeds.
    sequence: { shuffle: false },
    reporters: ['default'],
  },
});
