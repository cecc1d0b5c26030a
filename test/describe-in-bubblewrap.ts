/** Declares suites and tests that need bubblewrap. */
import { probeBubblewrap } from '../packages/truecast/src/sandboxes/probe.ts';
import { describeUnless, itUnless, type TestBody } from './needs.ts';

const probe = await probeBubblewrap();
/** Why suites that need bubblewrap cannot run here. Undefined if they can. */
export const bubblewrapIsMissing: string | undefined = probe.works ? undefined : probe.reason;

/** Returns true if suites that need bubblewrap run here. */
export const runsBubblewrap: boolean = probe.works || process.env['CI'] === 'true';

/** Declares a suite that needs bubblewrap. */
export function describeInBubblewrap(title: string, declare: () => void): void {
  describeUnless(bubblewrapIsMissing, title, declare);
}

/** Declares a test that needs bubblewrap. */
export function itInBubblewrap(title: string, ...body: TestBody): void {
  itUnless(bubblewrapIsMissing, title, ...body);
}
