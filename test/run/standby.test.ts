import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { findBubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap/find-bubblewrap.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { commitLine, runOptions, temporaryFolder } from './fixture.ts';

const PATH = process.env['PATH'];

afterEach(() => {
  process.env['PATH'] = PATH;
});

/** Puts a `bwrap` on the PATH that first runs `script`, which counts its starts in `/starts`. */
async function countStarts(script: string): Promise<string> {
  const folder = temporaryFolder();
  const found = await findBubblewrap();
  const program = join(folder, 'bwrap');
  const real = found?.path ?? '';
  writeFileSync(join(folder, 'starts'), '');
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" = --help ] || echo start >> '${folder}/starts'\nn=$(wc -l < '${folder}/starts')\n${script}\nexec '${real}' "$@"\n`,
  );
  chmodSync(program, 0o755);
  process.env['PATH'] = `${folder}:${PATH ?? ''}`;
  return join(folder, 'starts');
}

describeInBubblewrap('the sandbox of the hand-over', () => {
  it('waits before the agent has ended, and is the only other one', async () => {
    const starts = await countStarts('');
    const sandbox = bubblewrap({ egress: 'none', mounts: [{ hostPath: starts, sandboxPath: '/starts' }] });
    const waiting = 'until [ "$(wc -l < /starts)" -ge 2 ]; do sleep 0.02; done';
    const { commits } = await run(
      runOptions(`${commitLine('b.txt')}; ${waiting}; echo '<result>{"answer": 42}</result>'`, { sandbox }),
    );
    expect(commits).toHaveLength(1);
    expect(readFileSync(starts, 'utf8')).toBe('start\nstart\n');
  });

  it('is started again if it has failed', async () => {
    const starts = await countStarts('[ "$n" != 2 ] || exit 1');
    const sandbox = bubblewrap({ egress: 'none' });
    const { commits, warnings } = await run(
      runOptions(`${commitLine('b.txt')}; sleep 0.3; echo '<result>{"answer": 42}</result>'`, { sandbox }),
    );
    expect(commits).toHaveLength(1);
    expect(warnings).toEqual([]);
    expect(readFileSync(starts, 'utf8')).toBe('start\nstart\nstart\n');
  });
});
