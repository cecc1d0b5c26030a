/** Tests of the command: its stdout, its stderr, and its exit code. */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasControlGroups } from '../../packages/truecast/src/sandboxes/bubblewrap/control-group.ts';
import { unenforcedLimits } from '../../packages/truecast/src/sandboxes/bubblewrap/limits.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { type Ended, MAIN, runCommand } from './run-command.ts';

const ANSWER = `sh -c 'echo "<result>{\\"answer\\":42}</result>"'`;

let root: string;
let repo: string;

beforeAll(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-cli-test-')));
  repo = join(root, 'repo');
  mkdirSync(repo);
  await git('init', '-q', '-b', 'main');
  await git('config', 'user.name', 'Test');
  await git('config', 'user.email', 'test@example.invalid');
  await git('commit', '-q', '--allow-empty', '-m', 'begin');
  writeFileSync(
    join(root, 's.json'),
    JSON.stringify({ type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] }),
  );
  writeFileSync(
    join(root, 's.ts'),
    `import { z } from '${fileURLToPath(import.meta.resolve('zod'))}';\nexport const answer = z.object({ answer: z.number() });\n`,
  );
});
afterAll(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));

async function git(...args: string[]): Promise<string> {
  return (await execa('git', args, { cwd: repo })).stdout;
}

function truecast(args: readonly string[], input = ''): Promise<Ended> {
  return runCommand(args, { cwd: root, input, env: { HOME: root } });
}

const runFlags = (line: string): string[] => [
  'run',
  '--cwd',
  repo,
  '--sandbox',
  'none',
  '--agent',
  `command:${line}`,
  '--prompt',
  'Answer in <result>.',
  '--tag',
  'result',
  '--schema',
  's.json',
];

describe('truecast run', () => {
  it('prints only the answer on stdout, and the new branch on stderr', async () => {
    const { stdout, stderr, exitCode } = await truecast(
      runFlags(`sh -c 'git commit -q --allow-empty -m x; echo "<result>{\\"answer\\":42}</result>"'`),
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ answer: 42 });
    const branch = /git merge (truecast\/\S+)/u.exec(stderr)?.[1] ?? '';
    expect(await git('log', '-1', '--format=%s', branch)).toBe('x');
    expect(await git('log', '-1', '--format=%s', 'main')).toBe('begin');
  });

  it('exits with 3 and an empty stdout when the answer is missing', async () => {
    const { stdout, stderr, exitCode } = await truecast(runFlags('echo nothing'));
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 3 });
    expect(stderr).toContain('<result>');
    expect(stderr).toContain('worktree');
  });

  it('prints the error as JSON with --json', async () => {
    const { stdout, exitCode } = await truecast([...runFlags(`echo '<result>{}</result>'`), '--json']);
    expect(exitCode).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'schema-mismatch', issues: [{ path: [] }], commits: [] },
    });
  });

  it('prints output, provenance, commits and branch with --json', async () => {
    const { stdout } = await truecast([...runFlags(ANSWER), '--json', '--branch', 'topic']);
    expect(JSON.parse(stdout)).toMatchObject({
      output: { answer: 42 },
      provenance: { mode: 'tag' },
      commits: [],
      branch: 'topic',
    });
  });

  it('takes a schema from a TypeScript module', async () => {
    const flags = runFlags(ANSWER).map((flag) => (flag === 's.json' ? './s.ts#answer' : flag));
    expect(JSON.parse((await truecast(flags)).stdout)).toEqual({ answer: 42 });
  });

  it('gives the text of a tag without a schema', async () => {
    const flags = runFlags(`echo '<result> plain </result>'`).filter(
      (flag) => flag !== '--schema' && flag !== 's.json',
    );
    expect(JSON.parse((await truecast(flags)).stdout)).toBe('plain');
  });

  it('exits with 2 where the tool cannot take the answer', async () => {
    const bare = await truecast([
      'run',
      '--agent',
      'codex',
      '--prompt',
      'x',
      '--mode',
      'mcp',
      '--sandbox',
      'none',
    ]);
    expect(bare.exitCode).toBe(2);
    expect(bare.stderr).toContain('`--mode mcp` needs the schema of the answer. Pass `--schema`.');
    const flags = runFlags(ANSWER).flatMap((flag) =>
      flag === '--tag' ? ['--mode'] : flag === 'result' ? ['mcp'] : [flag],
    );
    const command = await truecast(flags);
    expect(command.exitCode).toBe(2);
    expect(command.stderr).toContain('cannot load the MCP tool');
  });

  it('plays what it recorded', async () => {
    const recorded = await truecast([...runFlags(ANSWER), '--record', 'r.jsonl']);
    const flags = runFlags('').map((flag) => (flag === 'command:' ? 'replay:r.jsonl' : flag));
    expect(await truecast(flags)).toMatchObject({ stdout: recorded.stdout, exitCode: 0 });
    expect(await truecast(['run', '--agent', 'replay', '--prompt', 'x'])).toMatchObject({ exitCode: 2 });
  });

  it('exits with 1 when the agent fails', async () => {
    const { stderr, exitCode } = await truecast(runFlags('echo oops >&2; exit 9'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('oops');
  });

  it.each([
    ['an unknown agent', ['run', '--agent', 'nobody', '--prompt', 'x'], 'claude-code, codex, '],
    ['an unknown flag', ['run', '--agent', 'codex', '--nonsense'], '--nonsense'],
    [
      'two branch flags',
      ['run', '--agent', 'command:true', '--prompt', 'x', '--sandbox', 'none', '--head', '--merge'],
      'exclude each other',
    ],
    [
      'retries that are no number',
      ['run', '--agent', 'command:true', '--max-corrections', '-1'],
      'whole number',
    ],
    [
      'a budget of no requests',
      ['run', '--agent', 'command:true', '--prompt', 'x', '--sandbox', 'none', '--budget-requests', '0'],
      '--budget-requests',
    ],
    [
      'a schema that is not there',
      [
        'run',
        '--agent',
        'command:true',
        '--prompt',
        '<r>',
        '--tag',
        'r',
        '--schema',
        'gone.json',
        '--sandbox',
        'none',
      ],
      'gone.json',
    ],
    [
      'a folder that is no repository',
      ['run', '--agent', 'command:true', '--prompt', 'x', '--sandbox', 'none', '--cwd', tmpdir()],
      'git init',
    ],
    ['no prompt', ['run', '--agent', 'command:true', '--sandbox', 'none'], 'The prompt is empty.'],
  ])('exits with 2 on wrong use: %s', async (_title, args, message) => {
    const { stdout, stderr, exitCode } = await truecast(args);
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(message);
  });

  it('exits with 130 when interrupted, kills the agent, and keeps its work', async () => {
    const child = spawn(
      process.execPath,
      [
        MAIN,
        ...runFlags(`echo $$ > '${root}/pid'; git commit -q --allow-empty -m kept; echo ready; sleep 300`),
        '--branch',
        'interrupted',
      ],
      { cwd: root, stdio: 'ignore', env: { ...process.env, HOME: root } },
    );
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    while (
      !existsSync(join(root, 'pid')) ||
      !(await git('log', '-1', '--format=%s', '--all')).includes('kept')
    ) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    child.kill('SIGINT');
    expect(await exited).toBe(130);
    expect(await git('log', '-1', '--format=%s', 'interrupted')).toBe('kept');
    const { stdout } = await execa('cat', [join(root, 'pid')]);
    expect(existsSync(`/proc/${stdout.trim()}`)).toBe(false);
  });
});

describe('truecast extract', () => {
  it('reads a transcript on stdin', async () => {
    const { stdout, exitCode } = await truecast(
      ['extract', '--tag', 'result', '--schema', 's.json'],
      'I use the <result> tag: <result>{"answer":1}</result> bye',
    );
    expect({ value: JSON.parse(stdout) as unknown, exitCode }).toEqual({ value: { answer: 1 }, exitCode: 0 });
  });

  it('reads the event stream of an agent from a file', async () => {
    const transcript = fileURLToPath(
      new URL('../transcripts/claude-code/2.1.329-stream-json.jsonl', import.meta.url),
    );
    const { stdout } = await truecast([
      'extract',
      '--agent',
      'claude-code',
      '--tag',
      'result',
      '--json',
      transcript,
      '--schema',
      's.json',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({ output: { answer: 42 }, provenance: { mode: 'tag' } });
  });

  it('exits with 3 for a transcript without an answer, and with 2 without a tag', async () => {
    expect((await truecast(['extract', '--tag', 'result'], 'nothing')).exitCode).toBe(3);
    expect((await truecast(['extract'], 'nothing')).exitCode).toBe(2);
    expect((await truecast(['extract', '--tag', 'result', 'gone.txt'])).exitCode).toBe(2);
  });
});

describe('truecast doctor', () => {
  it('lists what works on this machine', async () => {
    const { stdout, exitCode } = await truecast(['doctor', '--json']);
    expect(exitCode).toBe(0);
    const limits = unenforcedLimits(await hasControlGroups());
    const unenforced = limits.length === 0 ? '' : `; limits not enforced: ${limits.join(', ')}`;
    if (runsBubblewrap) expect(stdout).toContain(`"starts; the default sandbox${unenforced}"`);
    expect(JSON.parse(stdout)).toMatchObject({
      findings: expect.arrayContaining([
        expect.objectContaining({
          name: 'git',
          works: true,
          detail: expect.stringContaining('git version') as unknown,
        }) as unknown,
      ]) as unknown,
    });
  });
});

describe('truecast --help', () => {
  it.each([[[]], [['run']], [['extract']], [['doctor']]])(
    'shows examples or commands for %j',
    async (command: readonly string[]) => {
      const { stdout, exitCode } = await truecast([...command, '--help']);
      expect(exitCode).toBe(0);
      expect(stdout).toContain(command.length === 0 ? 'Exit codes' : `truecast ${command[0]}`);
    },
  );
});

describe('truecast demo', () => {
  it('runs the whole path on a repository of the caller, and computes its answer from it', async () => {
    writeFileSync(join(repo, 'large.bin'), 'x'.repeat(12_345));
    await git('add', '-A');
    await git('commit', '-q', '-m', 'large');
    const { stdout, stderr, exitCode } = await truecast(['demo', '--repo', repo]);
    expect(exitCode, stderr).toBe(0);
    const answer = JSON.parse(stdout) as { commit: string };
    expect(answer).toMatchObject({ filesTracked: 2, largestFile: { path: 'large.bin', bytes: 12_345 } });
    expect(await git('log', '--all', '--format=%H')).toContain(answer.commit);
    expect(await git('rev-parse', 'main')).not.toBe(answer.commit);
    expect(stderr).toContain('× attempt 1: answer refused at filesTracked: Expected integer, got string.');
    expect(stderr).toContain('Sealed · valid at attempt 2');
  });
});
