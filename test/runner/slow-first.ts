/**
 * Order of the test files: those that take longest start first, and pure functions last. A long file that starts
 * last runs alone, while the other workers wait.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files of more than 25 s. A machine without records of earlier runs sorts by size only. Suites
 * that use the processor and suites that wait for containers alternate.
 */
export const SLOW_FILES: readonly string[] = [
  'sandboxes/podman.test.ts',
  'agents/run-real-clis.test.ts',
  'engine/engine-proof.test.ts',
  'agents/acp-presets.test.ts',
  'sandboxes/docker.test.ts',
  'server/faults.property.test.ts',
  'package/install.test.ts',
  'agents/run-in-podman.test.ts',
  'agents/finalizer-real-clis.test.ts',
  'agents/stored-login.test.ts',
  'agents/acp-real-clis.test.ts',
  'agents/acp-tools.test.ts',
  'containers/no-code-on-host.test.ts',
  'cli/hostile-terminal.test.ts',
  'run/no-code-on-host.test.ts',
  'console/pages.test.ts',
  'server/crash.test.ts',
  'server/faults-database.test.ts',
  'isolated/remote-sandboxes.test.ts',
  'sandboxes/sandbox-contract.test.ts',
  'run/warm-spend.test.ts',
  'cli/serve-workspaces.test.ts',
  'agents/finalizer-settings.test.ts',
  'agents/head-checkout.test.ts',
  'server/queued-turn-worker.test.ts',
  'isolated/isolated.test.ts',
  'agents/claude-code.test.ts',
  'store/queue-takeover.test.ts',
  'run/filters.test.ts',
  'docs/pages.test.ts',
];

/** Sorts as Vitest does, and moves the slow files to the front. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((a, b) => rankOf(a) - rankOf(b));
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = SLOW_FILES.findIndex((file) => moduleId.endsWith(file));
  if (rank !== -1) return rank;
  // Pure functions never wait, so they keep all cores busy until the end.
  return moduleId.includes('/packages/core/') ? SLOW_FILES.length + 1 : SLOW_FILES.length;
}
