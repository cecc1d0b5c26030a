/** Long suites: what `npm test` leaves out, for what a suite needs or for the time that it takes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Suites that are about bubblewrap alone. In CI they run in any case, and fail where it does not work. */
export const BUBBLEWRAP_SUITES: readonly string[] = [
  'packages/truecast/src/sandboxes/bubblewrap/*.test.ts',
  'packages/truecast/src/sandboxes/egress/*.test.ts',
  'test/run/bubblewrap.test.ts',
];

/**
 * Suites with real agent CLIs, containers and other sandboxes, builds of the package, or kills and
 * faults at every step.
 */
export const LONG_SUITES: readonly string[] = [
  ...BUBBLEWRAP_SUITES,
  'packages/truecast/src/sandboxes/isolated/{isolated,remote-sandboxes}.test.ts',
  'packages/truecast/src/run/escapes/*.test.ts',
  'test/{agents,live,node-versions}/*.test.ts',
  'test/mounted/next/*.test.ts',
  'test/containers/*.test.ts',
  'test/guarantees/{podman,mutants}.test.ts',
  'test/console/*.test.ts',
  'test/package/{api-report,client-in-apps,dist,bundle,install}.test.ts',
  'test/action/composite.test.ts',
  'packages/truecast/src/sandboxes/{docker,podman,sandbox-contract}.test.ts',
  'test/cli/{clean,clean-stores,doctor-security,hostile-terminal,runs,serve-workspaces,serve-workers}.test.ts',
  'test/run/{no-code-on-host,guest-git-history,hostile-paths,warm-spend,many-runs,many-merges}.test.ts',
  'test/run/{filters,filters.property,guest-git,large-transcript}.test.ts',
  'test/server/{crash,killed-worker,stalled-worker,queued-turn-worker,faults-*,faults.property}.test.ts',
  'test/server/{execute-run,chat-runs,moved-runs,pushed-runs,stale-pushes,killed-run-workers,run-crash}.test.ts',
  'test/server/{canceled-runs,cleaned-machines,database-away,harmful-takeovers,run-disk}.test.ts',
  'test/examples/agent-jobs.test.ts',
  'test/sandcastle/oracle-runs.test.ts',
  'test/proofs/*.test.ts',
  // It replaces a module.
  'packages/server/src/models/sdk-call.test.ts',
  'test/store/{durability,power-cut,standing-still,queue-takeover}.test.ts',
  'test/ensemble/{kill,two-hundred-turns}.test.ts',
];

/** The list of `SLOW_SUITES`, which `node test/list-slow-suites.ts` writes. */
export const SLOW_LIST: string = join(import.meta.dirname, 'slow-suites.json');
/** Suites that mostly wait, written with it. */
export const WAITING_LIST: string = join(import.meta.dirname, 'waiting-suites.json');

/** Suites that need nothing special, and a second and a half of processor time or more. */
export const SLOW_SUITES: readonly string[] = JSON.parse(
  readFileSync(SLOW_LIST, 'utf8'),
) as readonly string[];
