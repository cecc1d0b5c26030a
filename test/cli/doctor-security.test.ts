/** `truecast doctor --security`: every escape attempt in every sandbox that works here. */
import { expect, it, onTestFinished } from 'vitest';
import type { EscapeAttempt } from '../../packages/truecast/src/run/escapes/escape-bait.ts';
import { ESCAPE_ATTEMPTS } from '../../packages/truecast/src/run/escapes/try-escapes.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixColumns } from '../matrix.ts';
import { makeRepository, truecast } from './cli-fixture.ts';

/**
 * Leaves a few attempts to the command, which the short form runs in this process: `try-escapes.test.ts` tries all
 * of them in bubblewrap. Returns their ids.
 */
function leaveSome(): readonly string[] {
  const attempts = ESCAPE_ATTEMPTS as EscapeAttempt[];
  const all = [...attempts];
  const tried = matrixColumns(0, all, { rows: 8, stride: 8 });
  attempts.splice(0, Infinity, ...tried);
  onTestFinished(() => void attempts.splice(0, Infinity, ...all));
  return tried.map(({ id }) => id);
}

describeInBubblewrap('doctor --security', () => {
  it('reports each attempt in bubblewrap as held', async () => {
    expect(ESCAPE_ATTEMPTS.length).toBeGreaterThanOrEqual(28);
    expect(ESCAPE_ATTEMPTS.map(({ id }) => id)).toContain('bpf');
    const ids = leaveSome();
    const { stdout, exitCode } = await truecast(makeRepository(), 'doctor', '--security', '--json');
    const { sandboxes }: { sandboxes: { sandbox: string; results: { id: string; outcome: string }[] }[] } =
      JSON.parse(stdout) as never;
    const results = sandboxes.find(({ sandbox }) => sandbox === 'bubblewrap')?.results ?? [];
    expect(results.map(({ id }) => id)).toEqual([...ids, 'overspend']);
    expect(results.filter(({ outcome }) => outcome !== 'held')).toEqual([]);
    expect(exitCode).toBe(0);
  });
});
