/**
 * Escape suite: bubblewrap holds every attempt, and without a sandbox the suite detects each
 * escape.
 */
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../../../../../test/describe-in-bubblewrap.ts';
import { bubblewrap } from '../../sandboxes/bubblewrap.ts';
import { noSandbox } from '../../sandboxes/no-sandbox.ts';
import { ESCAPE_ATTEMPTS, tryEscape } from './try-escapes.ts';

/** Held without a sandbox too: the run itself prevents these, and a machine can forbid user namespaces. */
const HELD_ANYWAY = ['create-user-namespace', 'outlive-the-run', 'plant-settings'];

describeInBubblewrap('bubblewrap', () => {
  it.each(ESCAPE_ATTEMPTS)('does not let a guest $title', async (attempt) => {
    expect(await tryEscape(bubblewrap({ egress: 'none' }), attempt)).toMatchObject({ outcome: 'held' });
  });
});

const NOTICEABLE = ESCAPE_ATTEMPTS.filter(({ id }) => !HELD_ANYWAY.includes(id));

it.each(NOTICEABLE)('notices that a guest without a sandbox can $title', async (attempt) => {
  expect(await tryEscape(noSandbox(), attempt)).toMatchObject({ outcome: 'escaped' });
});
