/**
 * Tests of several runs on one real terminal: a row for each, whole lines above them, and nothing of the rows
 * afterwards.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledHost } from '../bundled-host.ts';
import { commandFile } from '../package/shared-build.ts';
import { describeUnless, missing } from '../needs.ts';
import { makeRepository, temporaryFolder } from '../run/fixture.ts';
import { screenAfter } from './terminal-emulator.ts';

const COLUMNS = 90;
const HOST = await bundledHost(new URL('many-runs-host.ts', import.meta.url));

interface Watched {
  readonly cwd: string;
  readonly args: readonly string[];
  /** Rows that must be on the screen at once. */
  readonly rows: readonly RegExp[];
  /** Called when they are, so that the agents can end. */
  onRows(): void;
}

/** Runs Node on a terminal, and returns all rows of the screen at its end. */
async function onTerminal({ cwd, args, rows, onRows }: Watched): Promise<readonly string[]> {
  const line = [process.execPath, ...args].map((word) => `'${word}'`).join(' ');
  const child = spawn('script', ['-qec', `stty cols ${COLUMNS} rows 30; exec ${line}`, '/dev/null'], {
    cwd,
    env: { ...process.env, HOME: cwd, TERM: 'xterm', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let bytes = '';
  let isSeen = false;
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.toString();
    if (isSeen) return;
    // A chunk can end within a sequence.
    const whole = bytes.slice(0, bytes.lastIndexOf('\u001B'));
    const screen = screenAfter(whole, COLUMNS);
    isSeen = rows.every((row) => screen.some((shown) => row.test(shown)));
    if (isSeen) onRows();
  });
  await new Promise((resolve) => child.once('close', resolve));
  return screenAfter(bytes, COLUMNS).filter((row) => row !== '');
}

/** Says that it works, and waits. */
const agentOf = (marks: string): string =>
  `read -r n rest; echo "working on $n"; until [ -e '${marks}/end' ]; do sleep 0.05; done; echo "<result>$n</result>"; [ "$n" != 2 ]`;

describeUnless(missing('script'), 'several runs on a terminal', () => {
  it('are a row each of `truecast batch`, above one with the totals', async () => {
    const cwd = makeRepository();
    const marks = temporaryFolder();
    writeFileSync(join(cwd, 'items.jsonl'), '{"N":1,"id":"one"}\n{"N":2}\n{"N":3}\n');
    writeFileSync(join(marks, 'agent.sh'), agentOf(marks));
    const flags = ['--sandbox', 'none', '--tag', 'result', '--agent', `command:sh ${marks}/agent.sh`];
    const screen = await onTerminal({
      cwd,
      args: [await commandFile(), 'batch', '--inputs', 'items.jsonl', ...flags, '{{N}} in <result>'],
      rows: [
        /^line 1 \(one\) · \d+s · working on 1/u,
        /^line 2 · \d+s · working on 2/u,
        /^line 3 · \d+s · working on 3/u,
        /^0\/3 done · 3 running$/u,
      ],
      onRows: () => writeFileSync(join(marks, 'end'), ''),
    });
    const lines = screen.filter((row) => !row.startsWith('· sandbox: '));
    expect(lines.filter((row) => row.startsWith('{"key":'))).toHaveLength(3);
    expect(lines.filter((row) => /line 2: failed, exit/u.test(row))).toHaveLength(1);
    expect(lines.at(-1)).toMatch(/^2 ok · 1 failed · \d+ s$/u);
    expect(lines.filter((row) => /running|· working/u.test(row))).toEqual([]);
  });

  it('are a row each of a program with `live`, and their steps are whole lines', async () => {
    const cwd = makeRepository();
    const marks = temporaryFolder();
    const screen = await onTerminal({
      cwd,
      args: [HOST, cwd, marks],
      rows: ['a', 'b', 'c'].map((name) => new RegExp(`^\\[${name}\\] \\d+s · working on ${name}`, 'u')),
      onRows: () => writeFileSync(join(marks, 'end'), ''),
    });
    for (const name of ['a', 'b', 'c']) {
      expect(screen.filter((row) => row === `[${name}] ● working on ${name}`)).toHaveLength(1);
      expect(screen.filter((row) => row === `[${name}] ✓ answer valid`)).toHaveLength(1);
    }
    expect(screen.at(-1)).toBe('done');
    expect(screen.filter((row) => /\d+s · /u.test(row))).toEqual([]);
  });
});
