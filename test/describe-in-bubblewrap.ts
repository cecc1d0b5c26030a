/** Owns declaring suites that need bubblewrap: skipped by name with the reason where it does not work, never in CI. */
import { describe } from 'vitest';
import { probeBubblewrap } from '../src/run/sandboxes/probe.ts';

const probe = await probeBubblewrap();

/** Tells whether suites that need bubblewrap run here. */
export const runsBubblewrap: boolean = probe.works || process.env['CI'] === 'true';

/** Declares a suite that needs bubblewrap. */
export function describeInBubblewrap(title: string, declare: () => void): void {
  const reason = probe.works ? '' : ` [skipped: ${probe.reason}]`;
  describe.skipIf(!runsBubblewrap)(`${title}${runsBubblewrap ? '' : reason}`, declare);
}
