import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import { BUBBLEWRAP_SUITES, LONG_SUITES, SLOW_SUITES } from './test/long-suites.ts';
import { freshWorkers } from './test/runner/fresh-workers.ts';
import { usePlainPython } from './test/runner/plain-python.ts';
import { quickFork } from './test/runner/quick-fork.ts';
import { SlowFirst } from './test/runner/slow-first.ts';
import { probeBubblewrap } from './packages/truecast/src/sandboxes/probe.ts';

const probe = await probeBubblewrap();
const skipped = probe.works || process.env['CI'] === 'true' ? [] : BUBBLEWRAP_SUITES;
// They are long suites: a run of the quick ones leaves nothing out.
const runsLong = !process.argv.includes('quick') || process.argv.some((word) => word.startsWith('long'));
if (!probe.works && skipped.length > 0 && runsLong) {
  process.stderr.write(`left out: ${skipped.join(', ')}, ${probe.reason}\n`);
}

/**
 * Long suites with a process for each file: they replace modules, or copy the project. The others share
 * workers as the quick suites do: a worker's start and its modules take a second of processor time.
 */
const APART_SUITES = [
  'packages/truecast/src/sandboxes/isolated/remote-sandboxes.test.ts',
  'test/guarantees/mutants.test.ts',
  'packages/server/src/models/sdk-call.test.ts',
];
/**
 * Suites of the whole matrix alone: each builds or installs for longer than it tests, and the short form
 * tries the same code by other routes.
 */
const WHOLE_SUITES = [
  'test/containers/{server-image,two-machines,checked-merges,filters}.test.ts',
  'test/mounted/next/*.test.ts',
];
const EXCLUDED = [
  '**/node_modules/**',
  'packages/*/dist/**',
  ...skipped,
  ...(process.env['TRUECAST_MATRIX'] === 'whole' ? [] : WHOLE_SUITES),
];

/**
 * Suites of single functions. They share worker processes and loaded modules with each other, as the
 * quick suites do: their files restore each global that they change, and mock no module.
 */
const UNIT_SUITES = [
  'packages/{client,core,ensemble,model,server,store}/src/**/*.test.ts',
  'packages/testing/src/scripted-model/**/*.test.ts',
  'packages/truecast/src/{agents,masking,ports,process,support}/**/*.test.ts',
];
// For the workers, which take a tenth less processor time, and their child processes on Node.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, 'node_modules/.cache/compile-cache');
// For agent CLIs on Bun: the second compiler of its engine takes an eighth of a start, and collecting garbage a
// quarter. No run is long enough to need either: Claude Code has 24 MB more, OpenCode 260 MB.
process.env['BUN_JSC_useDFGJIT'] ??= '0';
process.env['BUN_JSC_useGC'] ??= '0';
// Copilot unpacks itself, 234 MB, at its first start in each home: one folder for all homes halves a start.
process.env['COPILOT_PKG_CACHE_HOME'] ??= join(import.meta.dirname, 'node_modules/.cache/copilot');
usePlainPython();

const ALL_SUITES = ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'];
/** Projects whose suites share workers. */
const SHARED = [
  { name: 'unit', include: UNIT_SUITES, exclude: [...EXCLUDED, ...LONG_SUITES, ...SLOW_SUITES] },
  {
    name: 'quick',
    include: ALL_SUITES,
    exclude: [...EXCLUDED, ...LONG_SUITES, ...SLOW_SUITES, ...UNIT_SUITES],
  },
  { name: 'long', include: [...LONG_SUITES, ...SLOW_SUITES], exclude: [...EXCLUDED, ...APART_SUITES] },
];
/** One project instead, if all of them run: suites that wait then run beside those that use the processor. */
const TOGETHER = { name: 'long-and-quick', include: ALL_SUITES, exclude: [...EXCLUDED, ...APART_SUITES] };
const runsAll = ['unit', 'quick', 'long*'].every((name) => process.argv.includes(name));

const config: ViteUserConfig = {
  test: {
    globalSetup: [
      './test/isolated-folders.ts',
      './test/shared-postgres.ts',
      './test/bundled-host.ts',
      './test/package/shared-build.ts',
      './test/containers/shared-image.ts',
    ],
    // `leave-no-trace.ts` keeps it from programs.
    env: quickFork(),
    setupFiles: ['./test/runner/leave-no-trace.ts', './test/runner/record-times.ts'],
    // The suites of real processes wait for half of their time. On two cores, four workers leave 13 % of it idle, five 3 %,
    // and six take 3 % more: 603 s with five, 610 with six, and over 630 with four.
    maxWorkers: Math.max(2, Math.ceil(availableParallelism() * 2.5)),
    sequence: { sequencer: SlowFirst },
    pool: freshWorkers,
    // Not while it watches.
    execArgv: process.argv.includes('run')
      ? ['--import', join(import.meta.dirname, 'test/runner/quiet-resolve.ts')]
      : [],
    // Node itself loads the modules, from its compile cache: a tenth less processor time than through Vite.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests count work. These limits only end one that hangs, on a machine of a fifth of the usual speed.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    // A busy machine can break a test of real processes once. The summary names each such test.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    reporters: ['default', './test/runner/summary-reporter.ts'],
    // Only the unit suites: what runs in child processes is not counted.
    coverage: {
      include: ['packages/{client,core,ensemble,model,server,store}/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/test-*.ts'],
      reporter: ['text-summary'],
    },
    projects: [
      ...(runsAll ? [TOGETHER] : SHARED).map((test) => ({
        extends: true as const,
        test: { ...test, isolate: false },
      })),
      {
        extends: true,
        test: {
          name: 'long-apart',
          include: APART_SUITES,
          exclude: EXCLUDED,
          // Only Vite's loader replaces modules.
          experimental: { viteModuleRunner: true },
        },
      },
    ],
  },
};

export default config;
