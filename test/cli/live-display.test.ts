/**
 * Tests of a run's live display on a real terminal: the command on a pseudo-terminal, and its
 * resulting screen.
 */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeUnless, missing } from '../needs.ts';
import { openSession, type ProgramSession } from '../program-session.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { runCommand } from './run-command.ts';
import { screenAfter } from './terminal-emulator.ts';
import { commandFile } from '../package/shared-build.ts';

const MAIN = await commandFile();
const SECRET = 'sk-a-secret-of-many-letters';

/** Commits, prints coloured warnings, tries to control the terminal, and answers. */
const AGENT = String.raw`git commit -q --allow-empty -m x
printf 'Looking around \033]0;owned\007\033[2J\033[31m日本語日本語日本語日本語日本語日本語日本語日本語\n'
printf 'key $MY_API_KEY'; sleep 0.3; printf '\n'
printf '<result>{"answer":1}</result>'`;

const COLUMNS = 60;

interface Started {
  readonly folder: string;
  readonly args: readonly string[];
}

function prepare(more: readonly string[]): Started {
  const cwd = makeRepository();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'agent.sh'), AGENT);
  const place = ['--cwd', cwd, '--sandbox', 'none', '--agent', `command:sh ${folder}/agent.sh`];
  return { folder, args: ['run', ...place, '--prompt', 'Answer in <result>.', '--tag', 'result', ...more] };
}

/** Returns the stderr of a narrow terminal. The answer is in a file. */
async function onOwnTerminal(): Promise<string> {
  const { folder, args } = prepare([]);
  const line = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const { stdout } = await execa(
    'script',
    ['-qec', `stty cols ${COLUMNS} rows 40; ${line} > ${folder}/answer`, '/dev/null'],
    { env: { HOME: folder, TERM: 'xterm', MY_API_KEY: SECRET, NO_COLOR: '' }, reject: false },
  );
  return stdout;
}

describeUnless(missing('script'), 'the live display on a terminal', () => {
  let session: ProgramSession;
  beforeAll(async () => {
    session = await openSession('terminal');
  });
  afterAll(() => session[Symbol.asyncDispose]());

  /** Returns the output on the terminal of the session. */
  async function onTerminal(
    more: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const { folder: cwd, args } = prepare(more);
    const variables = { HOME: cwd, TERM: 'xterm', MY_API_KEY: SECRET, NO_COLOR: '', ...env };
    return (await session.run({ file: MAIN, args, cwd, env: variables })).stdout;
  }

  it('leaves short lines of what was done, and nothing of the row', async () => {
    const bytes = await onOwnTerminal();
    const rows = screenAfter(bytes, COLUMNS);
    expect(rows.filter((row) => row !== '')).toEqual([
      '· sandbox: none; the agent has all rights of this user',
      expect.stringMatching(/^· command in no-sandbox on truecast\//u),
      expect.stringMatching(/^· log: \//u),
      // The terminal wraps a path, which is never cut.
      expect.stringMatching(/^\S+\.log$/u),
      '· egress: host (not enforced)',
      expect.stringMatching(/^● Looking around 日本語.*…$/u),
      '✓ answer valid',
      expect.stringMatching(/^✓ commit [0-9a-f]{10}$/u),
      expect.stringMatching(/^1 commit on truecast.*To merge:$/u),
      expect.stringMatching(/^git merge truecast/u),
      expect.stringMatching(/^✓ Sealed · valid at once · \d+ s$/u),
    ]);
    expect(
      bytes.endsWith('\u001B[?25h') || bytes.lastIndexOf('\u001B[?25h') > bytes.lastIndexOf('\u001B[?25l'),
    ).toBe(true);
    expect(bytes).toMatch(/\d+s · .*key/u);
  });

  it('hands on nothing that the agent would steer the terminal with, and no secret', async () => {
    const bytes = await onTerminal(['--verbose']);
    expect(bytes).not.toContain('\u001B]0;');
    expect(bytes).not.toContain('\u001B[2J');
    expect(bytes).not.toContain('sk-a');
    expect(bytes).toContain('{"answer":1}');
  });

  it('uses no colour with NO_COLOR, and no row on a dumb terminal', async () => {
    const bytes = await onTerminal([], { NO_COLOR: '1' });
    expect(bytes).toContain('✓ answer valid');
    // Its row hides the cursor.
    expect(bytes).toContain('\u001B[?25l');
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(bytes).not.toMatch(/\u001B\[\d*m/u);
    // eslint-disable-next-line no-control-regex -- what must not be there
    expect(await onTerminal([], { TERM: 'dumb' })).not.toMatch(/\u001B/u);
  });

  it('shows nothing of the agent with --quiet', async () => {
    const bytes = await onTerminal(['--quiet']);
    expect(bytes).not.toContain('Looking');
    expect(bytes).not.toContain('\u001B[?25');
  });
});

it('is plain lines where stderr is no terminal', async () => {
  const cwd = makeRepository();
  const args = [
    'run',
    '--cwd',
    cwd,
    '--sandbox',
    'none',
    '--tag',
    'result',
    '--prompt',
    'Answer in <result>.',
  ];
  const agent = ['--agent', `command:echo hello; echo '<result>1</result>'`];
  const { stderr } = await runCommand([...args, ...agent], { cwd });
  expect(stderr).toContain('● hello\n');
  expect(stderr).not.toContain('\u001B');
  expect(git(cwd, 'status', '--short')).toBe('');
});

describeUnless(missing('script'), 'the display on a terminal', () => {
  it('gives the cursor back when interrupted', async () => {
    const cwd = makeRepository();
    const child = spawn(
      'script',
      [
        '-qec',
        `'${process.execPath}' '${MAIN}' run --cwd '${cwd}' --sandbox none --agent 'command:echo ready; sleep 60' --prompt x`,
        '/dev/null',
      ],
      { env: { ...process.env, TERM: 'xterm', HOME: cwd }, stdio: ['pipe', 'pipe', 'ignore'] },
    );
    let bytes = '';
    let isInterrupted = false;
    child.stdout.on('data', (chunk: Buffer) => {
      bytes += chunk.toString();
      if (isInterrupted || !bytes.includes('ready')) return;
      isInterrupted = true;
      // Like the key: the terminal sends SIGINT to the whole foreground group.
      child.stdin.write('\u0003');
    });
    await new Promise((resolve) => child.once('close', resolve));
    expect(bytes).toContain('\u001B[?25l');
    expect(bytes.lastIndexOf('\u001B[?25h')).toBeGreaterThan(bytes.lastIndexOf('\u001B[?25l'));
  });
});
