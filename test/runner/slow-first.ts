/**
 * Order of the test files: those that take longest start first, and pure functions last. A long file that starts
 * last runs alone, while the other workers wait. Files that mostly wait are spread among the others: several of
 * them at the same time leave the processor idle.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import waiting from '../waiting-suites.json' with { type: 'json' };

/**
 * Files with large buffers or texts, at the start of a worker. Such memory makes the collector read the whole heap
 * again and again: with the modules of other files it takes twice the processor time.
 */
export const LARGE_FILES: readonly string[] = [
  'guarantees/c1-bounded-replies.test.ts',
  'call/bounded-fetch.test.ts',
  'server/large-sessions.test.ts',
  'process/spawn-command.test.ts',
  'masking/gram-filter.test.ts',
  'logging/logging.test.ts',
  'format/dry-run.test.ts',
];

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

const FIRST_FILES = [...LARGE_FILES, ...SLOW_FILES];

/** Sorts as Vitest does, and moves the large and the slow files to the front. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const ranked = sorted.map((file) => ({ file, rank: rankOf(file) })).toSorted((a, b) => a.rank - b.rank);
    const ofRank = (isIn: (rank: number) => boolean): TestSpecification[] =>
      ranked.filter(({ rank }) => isIn(rank)).map(({ file }) => file);
    const others = ofRank((rank) => rank === FIRST_FILES.length);
    return [
      ...ofRank((rank) => rank < FIRST_FILES.length),
      ...spread(
        others.filter(waits).toSorted((a, b) => placeOf(a) - placeOf(b)),
        others.filter((file) => !waits(file)),
      ),
      ...ofRank((rank) => rank > FIRST_FILES.length),
    ];
  }
}

/** Returns both lists as one, in which each is as dense at the start as at the end. */
export function spread<T>(some: readonly T[], others: readonly T[]): readonly T[] {
  const placed = [some, others].flatMap((list) =>
    list.map((value, at) => ({ value, place: (at + 0.5) / list.length })),
  );
  return placed.toSorted((a, b) => a.place - b.place).map(({ value }) => value);
}

/** The list begins with those that take longest. */
function placeOf({ moduleId }: TestSpecification): number {
  return waiting.findIndex((file) => moduleId.endsWith(`/${file}`));
}

function waits(file: TestSpecification): boolean {
  return placeOf(file) !== -1;
}

function rankOf({ moduleId }: TestSpecification): number {
  const rank = FIRST_FILES.findIndex((file) => moduleId.endsWith(file));
  if (rank !== -1) return rank;
  // Pure functions never wait, so they keep all cores busy until the end.
  return moduleId.includes('/packages/core/') ? FIRST_FILES.length + 1 : FIRST_FILES.length;
}
