/** `truecast doctor --security`: every escape attempt in every sandbox that works here. */
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { makeRepository, truecast } from './cli-fixture.ts';

describeInBubblewrap('doctor --security', () => {
  it('reports each attempt in bubblewrap as held', async () => {
    const { stdout, exitCode } = await truecast(makeRepository(), 'doctor', '--security', '--json');
    const { sandboxes }: { sandboxes: { sandbox: string; results: { id: string; outcome: string }[] }[] } =
      JSON.parse(stdout) as never;
    const results = sandboxes.find(({ sandbox }) => sandbox === 'bubblewrap')?.results ?? [];
    expect(results.length).toBeGreaterThanOrEqual(29);
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining(['bpf', 'overspend']));
    expect(results.filter(({ outcome }) => outcome !== 'held')).toEqual([]);
    expect(exitCode).toBe(0);
  });
});
