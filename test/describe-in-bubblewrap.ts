/**
 * Declares suites that need bubblewrap. If it does not work, they are skipped by name with the
 * reason, but never in CI.
 */
import { describe } from 'vitest';
import { probeBubblewrap } from '../packages/truecast/src/sandboxes/probe.ts';

const probe = await probeBubblewrap();

/** Returns true if suites that need bubblewrap run here. */
export const runsBubblewrap: boolean = probe.works || process.env['CI'] === 'true';

/** Declares a suite that needs bubblewrap. */
export function describeInBubblewrap(title: string, declare: () => void): void {
  const reason = probe.works ? '' : ` [skipped: ${probe.reason}]`;
  describe.skipIf(!runsBubblewrap)(`${title}${runsBubblewrap ? '' : reason}`, declare);
}
