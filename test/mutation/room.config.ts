/** Configuration of the suites of one room: its sources are instrumented in memory, one process runs all. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import { PlannedOrder } from './planned-order.ts';
import { readPlan } from './plan.ts';

const ROOT = join(import.meta.dirname, '../..');
const plan = readPlan();

const config: ViteUserConfig = {
  root: ROOT,
  plugins: [
    {
      name: 'instrumented-sources',
      enforce: 'pre',
      load(id) {
        const path = plan.instrumented[id.replace(/\?.*$/u, '')];
        return path === undefined ? null : readFileSync(path, 'utf8');
      },
    },
  ],
  test: {
    include: plan.tests,
    testNamePattern: /^(?!.* on Postgres\b)/u,
    globalSetup: ['./test/isolated-folders.ts', './test/shared-postgres.ts', './test/bundled-host.ts'],
    setupFiles: ['./test/runner/leave-no-trace.ts'],
    runner: './test/mutation/mutant-runner.ts',
    sequence: { sequencer: PlannedOrder },
    // The cache knows a file by its text on disk, which has no mutants.
    fsModuleCache: false,
    pool: 'forks',
    isolate: false,
    maxWorkers: 1,
    fileParallelism: false,
    // A mutant can leave a test waiting.
    testTimeout: 20_000,
    hookTimeout: 60_000,
    retry: 0,
    diff: { maxDepth: 1, truncateThreshold: 1 },
    reporters: [],
    dangerouslyIgnoreUnhandledErrors: true,
    watch: false,
  },
};

export default config;
