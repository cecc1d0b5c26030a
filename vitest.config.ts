import type { ViteUserConfig } from 'vitest/config';
import { probeBubblewrap } from './src/sandboxes/probe.ts';

/** Suites that are about bubblewrap alone. In CI they run in any case, and fail where it does not work. */
const BUBBLEWRAP_SUITES = [
  'src/sandboxes/bubblewrap/*.test.ts',
  'src/sandboxes/egress/*.test.ts',
  'test/run/bubblewrap.test.ts',
];

const probe = await probeBubblewrap();
const skipped = probe.works || process.env['CI'] === 'true' ? [] : BUBBLEWRAP_SUITES;
if (!probe.works) for (const suite of skipped) process.stderr.write(`skipped: ${suite} (${probe.reason})\n`);

const config: ViteUserConfig = {
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', ...skipped],
    globalSetup: ['./test/isolated-state-home.ts'],
    // Two cores: more workers only make the process-heavy suites slower and their waits longer.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A busy machine can break a test of real processes once. The summary names each such test.
    retry: process.env['CI'] === 'true' ? 1 : 0,
    reporters: ['default', './test/summary-reporter.ts'],
    typecheck: { enabled: true, include: ['src/**/*.test-d.ts', 'test/**/*.test-d.ts'], checker: 'tsc' },
  },
};

export default config;
