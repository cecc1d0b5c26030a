/** Tests of read-only runs: nothing of their agents' work is left, inside and outside of a repository. */
import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  mkdirSync,
  chmodSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import type { ReadOnlyRunOptions } from '../../packages/truecast/src/run/options/read-only.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixRow } from '../matrix.ts';
import { customBindMount, customIsolated } from './custom-sandbox.ts';
import { answerOutput, commitLine, git, makeRepository, PRINT_ANSWER, temporaryFolder } from './fixture.ts';

function reading(script: string, changes: Partial<ReadOnlyRunOptions> = {}): ReadOnlyRunOptions {
  return {
    agent: command({ command: ['sh', '-c', script] }),
    sandbox: noSandbox(),
    readOnly: true,
    logging: { type: 'file' },
    prompt: 'Answer in <result>.',
    ...changes,
  };
}

/** Everything of a repository that a run could change. */
function stateOf(repository: string): object {
  return {
    references: git(repository, 'for-each-ref'),
    head: git(repository, 'rev-parse', '--symbolic-full-name', 'HEAD'),
    worktrees: git(repository, 'worktree', 'list').split('\n').length,
    status: git(repository, 'status', '--porcelain'),
    files: readFileSync(join(repository, 'a.txt'), 'utf8'),
    folders: existsSync(join(repository, '.truecast', 'worktrees'))
      ? readdirSync(join(repository, '.truecast', 'worktrees')).filter((name) => name !== '.gitignore')
      : [],
    stores: existsSync(join(repository, '.git', 'truecast', 'guests'))
      ? readdirSync(join(repository, '.git', 'truecast', 'guests'))
      : [],
  };
}

/** Gives the test its own folder for temporary files, and lists the copies of folders in it. */
function watchCopies(): () => string[] {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  return () => readdirSync(folder).filter((entry) => entry.startsWith('truecast-copy-'));
}

afterEach(() => vi.unstubAllEnvs());

/** Work in each form that git has, and then the answer. */
const WORK = `echo changed > a.txt; echo x > new.txt; ${commitLine('work.txt')}; git checkout -q -b other; ${commitLine('more.txt')}; git checkout -q --detach; git commit -q --allow-empty -m loose; echo left > left.txt`;

const SANDBOXES = { none: noSandbox, bubblewrap: () => bubblewrap({ egress: 'none' }) };

/** The short form tries each case in one of the two places. */
function declare(name: keyof typeof SANDBOXES): void {
  const sandbox = SANDBOXES[name]();
  const test = matrixRow(Object.keys(SANDBOXES).indexOf(name), { rows: 2 });

  test('leaves nothing of the work, and reports none', async () => {
    const cwd = makeRepository();
    const before = stateOf(cwd);
    const result = await run({
      ...reading(`${WORK}; ${PRINT_ANSWER}`, { cwd, sandbox }),
      output: answerOutput,
    });
    expect(result.output).toEqual({ answer: 42 });
    for (const key of ['branch', 'commits', 'recovered', 'preservedWorktreePath', 'sensitiveChanges']) {
      expect(result, key).not.toHaveProperty(key);
    }
    expect(result.warnings).toEqual([]);
    expect(stateOf(cwd)).toEqual(before);
  });

  test('leaves nothing of a failed and of an aborted run', async () => {
    const cwd = makeRepository();
    const before = stateOf(cwd);
    const failed = run({ ...reading(`${WORK}; echo no answer`, { cwd, sandbox }), output: answerOutput });
    const error: unknown = await failed.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'tag-not-found', commits: [] });
    expect(error).not.toHaveProperty('branch', expect.anything());
    expect(error).not.toHaveProperty('preservedWorktreePath', expect.anything());
    expect(stateOf(cwd)).toEqual(before);

    const stop = new AbortController();
    const aborted = run(reading(`${WORK}; echo worked; sleep 60`, { cwd, sandbox, signal: stop.signal }));
    for await (const event of aborted) if (event.type === 'text' && event.text.includes('worked')) break;
    stop.abort(new Error('enough'));
    await expect(aborted).rejects.toThrow('enough');
    expect(stateOf(cwd)).toEqual(before);
  });

  test('removes a worktree without its `.git`, and folders that nobody can list', async () => {
    const cwd = makeRepository();
    const before = stateOf(cwd);
    const script = 'mkdir -p deep/er; echo x > deep/er/x; chmod 000 deep; rm -f .git || true';
    await run(reading(script, { cwd, sandbox }));
    expect(stateOf(cwd)).toEqual(before);
  });

  test('reads a copy of a folder outside of a repository', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'ci.log'), 'FAIL test 3\r\n');
    writeFileSync(join(cwd, 'run.sh'), 'echo run\n');
    chmodSync(join(cwd, 'run.sh'), 0o755);
    writeFileSync(join(cwd, '.gitignore'), '*\n');
    writeFileSync(join(cwd, '.gitattributes'), '* text=auto eol=lf\n*.log filter=none\n');
    mkdirSync(join(cwd, 'inner', '.git'), { recursive: true });
    writeFileSync(join(cwd, 'inner', 'file.txt'), 'inner\n');
    symlinkSync('ci.log', join(cwd, 'link'));
    mkdirSync(join(cwd, '.truecast'));
    writeFileSync(join(cwd, '.truecast', '.env'), 'DECLARED_TOKEN=declared-value\n');
    const listed = (): string[] => readdirSync(cwd, { recursive: true, encoding: 'utf8' }).toSorted();
    const names = listed();
    const script = [
      'echo changed > ci.log.new',
      commitLine('work.txt'),
      'od -An -c ci.log | tail -1',
      './run.sh',
      'cat inner/file.txt',
      'readlink link',
      'test -e inner/.git || echo plain',
      'test -e .truecast/.env || echo hidden',
      'echo "$DECLARED_TOKEN" | wc -c',
      'git status --porcelain | wc -l',
      PRINT_ANSWER,
    ].join('; ');
    const copies = watchCopies();
    const result = await run({ ...reading(script, { cwd, sandbox }), output: answerOutput });
    for (const part of ['\\r  \\n', 'run', 'inner', 'ci.log', 'plain', 'hidden', '15']) {
      expect(result.text, part).toContain(part);
    }
    expect(listed()).toEqual(names);
    expect(copies()).toEqual([]);
  });

  test('shares one worktree between the runs of a sandbox, and removes it on close', async () => {
    const cwd = makeRepository();
    const before = stateOf(cwd);
    const sandbox1 = await createSandbox({ readOnly: true, sandbox, cwd });
    const { agent } = reading(`${WORK}; echo done`);
    const first = await sandbox1.run({ agent, prompt: 'Work.' });
    const second = await sandbox1.run({ agent: reading('cat left.txt').agent, prompt: 'Read.' });
    expect(first).not.toHaveProperty('commits');
    expect(second.text).toContain('left');
    expect(sandbox1).not.toHaveProperty('branch');
    expect(sandbox1).not.toHaveProperty('interactive');
    await sandbox1.close();
    expect(stateOf(cwd)).toEqual(before);
  });

  test('opens a sandbox on a copy of a folder', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'a.txt'), 'one\n');
    await using place = await createSandbox({ readOnly: true, sandbox, cwd });
    const { agent } = reading(`echo two >> a.txt; cat a.txt`);
    expect((await place.run({ agent, prompt: 'Read.' })).text).toContain('two');
    await place.close();
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(existsSync(place.worktreePath)).toBe(false);
  });
}

describe('without a sandbox', () => declare('none'));
describeInBubblewrap('in bubblewrap', () => declare('bubblewrap'));

it.each([
  ['bind-mount', customBindMount],
  ['isolated', customIsolated],
])('leaves nothing of the work in a custom %s sandbox', async (_title, provider) => {
  const cwd = makeRepository();
  const before = stateOf(cwd);
  const sandbox = provider();
  const result = await run({
    ...reading(`${WORK}; ${PRINT_ANSWER}`, { cwd, sandbox }),
    output: answerOutput,
  });
  expect(result.output).toEqual({ answer: 42 });
  expect(stateOf(cwd)).toEqual(before);
});

describe('options that contradict `readOnly` are refused before anything exists', () => {
  it.each([
    [
      { branchStrategy: { type: 'merge-to-head' } },
      'Expected no `branchStrategy` for `run()` with `readOnly`',
    ],
    [{ publish: 'pull-request' }, 'Expected no `publish` for `run()` with `readOnly`'],
    [{ readOnly: 'yes' }, 'Expected `readOnly` to be a boolean, got `"yes"` (string)'],
  ])('%j', async (more, message) => {
    await expect(run({ ...reading('true', { cwd: '/nowhere' }), ...more } as never)).rejects.toThrow(message);
  });

  it('for `createSandbox()`, its runs and `close()`', async () => {
    const cwd = makeRepository();
    const shared = { readOnly: true, sandbox: noSandbox(), cwd } as const;
    await expect(createSandbox({ ...shared, branch: 'work' } as never)).rejects.toThrow(
      'Expected no `branch`',
    );
    await using place = await createSandbox(shared);
    const { agent } = reading('true');
    const publishing = place.run({ agent, prompt: 'x', publish: 'pull-request' } as never);
    await expect(publishing).rejects.toThrow('Expected no `publish` for `sandbox.run()`');
    const close = place.close as (options: object) => Promise<void>;
    await expect(close({ merge: true })).rejects.toThrow('Expected no `merge` for a sandbox with `readOnly`');
  });

  it.each([
    [
      'files',
      (cwd: string) => {
        writeFileSync(join(cwd, '0'), '');
        for (let file = 1; file <= 20_000; file += 1) linkSync(join(cwd, '0'), join(cwd, `${file}`));
      },
    ],
    [
      'bytes',
      (cwd: string) => {
        writeFileSync(join(cwd, 'large'), '');
        truncateSync(join(cwd, 'large'), 512 * 1024 * 1024 + 1);
      },
    ],
  ])('outside of a repository, a folder with too many %s', async (_title, fill) => {
    const cwd = temporaryFolder();
    fill(cwd);
    const copies = watchCopies();
    const error: unknown = await run(reading('true', { cwd })).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid-cwd', cwd });
    expect(String(error)).toContain('at most 20000 files and 512 MiB');
    expect(copies()).toEqual([]);
  });

  it('a writing run outside of a repository, as before', async () => {
    const { readOnly: _readOnly, ...options } = reading('true', { cwd: temporaryFolder() });
    await expect(run(options)).rejects.toMatchObject({ code: 'not-a-repository' });
  });
});

it('a branch of another run or of the user stays, also if the agent checks it out', async () => {
  const cwd = makeRepository();
  git(cwd, 'branch', 'kept');
  git(cwd, 'branch', 'truecast/20260101-000000-abcdef');
  const before = stateOf(cwd);
  await run(reading('git checkout -q kept; git checkout -q truecast/20260101-000000-abcdef', { cwd }));
  expect(stateOf(cwd)).toEqual(before);
});

it('the check of an answer runs once, in the worktree of the agent', async () => {
  const seen: number[] = [];
  const output = Output.object({
    tag: 'result',
    schema: z.object({ answer: z.number() }),
    check: async (_value, { exec }) => {
      seen.push((await exec('test -e left.txt')).exitCode);
      return undefined;
    },
  });
  await run({ ...reading(`echo left > left.txt; ${PRINT_ANSWER}`, { cwd: makeRepository() }), output });
  expect(seen).toEqual([0]);
});
