/**
 * Tests of runs with an id by each route: in bubblewrap, with answers of the schema mode and of the tool,
 * read-only, and published. Each is killed at one point, and executed again.
 */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { CLAUDE_SESSION, PRINT_SESSION, printResult, writeFakeClaude } from '../fake-claude.ts';
import { matrixColumns } from '../matrix.ts';
import { git, isRunning, makeRepository, temporaryFolder } from './fixture.ts';
import { makeWorld, subjects } from './repeating-world.ts';

/** The write of the accepted answer, after which no agent may start. */
const ANSWERED = 6;
const AFTER_ANSWER = { write: ANSWERED, when: 'after' } as const;
/** The agent has answered, and its answer is not stored. */
const BEFORE_ANSWER = { write: ANSWERED, when: 'before' } as const;
/** The work has landed, and its result is not stored. */
const BEFORE_END = { write: 8, when: 'before' } as const;

describeInBubblewrap('a run with an id in bubblewrap', () => {
  // The log of starts is a commit: the agent reaches no file outside of its worktree.
  const begin = 'git commit -q --allow-empty -m "start $RESUMED"\necho SESSION s1';
  const waits = '[ -n "$RESUMED" ] || sleep 600';

  it('keeps the commits of an agent that was killed in its turn', async () => {
    // It waits before it changes a file: the next commit would contain a half of its work.
    const { cwd, execute } = makeWorld({ begin: `${begin}\n${waits}`, host: { sandbox: 'bubblewrap' } });
    const since = git(cwd, 'rev-parse', 'main');
    expect(await execute({ kill: { write: 4, when: 'after' } })).toBeUndefined();
    const result = await execute();
    expect(result).toMatchObject({ answer: '#42', branch: 'main', commitsSince: since });
    const landed = ['start', 'start s1', 'b.txt', 'c.txt'];
    expect(subjects(cwd).slice(1).toSorted()).toEqual(landed.toSorted());
    expect(result?.commits).toHaveLength(landed.length);
  });

  it('lands the commits of an agent that had answered', async () => {
    const { cwd, execute } = makeWorld({ begin, host: { sandbox: 'bubblewrap' } });
    expect(await execute({ kill: AFTER_ANSWER })).toBeUndefined();
    const result = await execute();
    expect(result).toMatchObject({ answer: '#42', branch: 'main' });
    expect(subjects(cwd)).toEqual(['begin', 'start', 'b.txt', 'c.txt']);
    expect(result?.commits).toHaveLength(3);
    expect(git(cwd, 'branch', '--format=%(refname:short)')).toBe('main');
  });
});

describeInBubblewrap('a session in the home of a dead sandbox', () => {
  /** Commits the number of lines of the session that it resumes, adds one, and waits until it was killed. */
  function makeClaude(change: string, kills: number): ReturnType<typeof makeWorld> {
    const bin = temporaryFolder();
    const world = makeWorld({
      begin: [
        `cat > /dev/null; file=$(ls "$HOME"/.claude/projects/*/${CLAUDE_SESSION}.jsonl 2> /dev/null)`,
        'case "$*" in *--resume*) began="again $(wc -l < "$file")";; *) began=start;; esac',
        'git commit -q --allow-empty -m "$began"',
        `[ -n "$file" ] || { mkdir -p "$HOME/.claude/projects/x"; file="$HOME/.claude/projects/x/${CLAUDE_SESSION}.jsonl"; }`,
        `echo '{"kept":true}' >> "$file"; ${change}`,
        PRINT_SESSION,
        `[ "$(git log --format=%s | grep -cE '^(start|again)')" -gt ${kills} ] || { : > waits; sleep 600; }; rm -f waits`,
      ].join('\n'),
      end: printResult({ structured_output: { answer: 42 } }),
      env: { CLAUDE_CONFIG_DIR: temporaryFolder(), PATH: `${bin}${delimiter}${process.env['PATH']}` },
      host: { answers: 'native', sandbox: 'bubblewrap' },
    });
    writeFakeClaude(bin, world.script);
    return world;
  }

  function worktreeOf(cwd: string): string {
    return git(cwd, 'worktree', 'list', '--porcelain').split('worktree ')[2]?.split('\n')[0] ?? '';
  }

  const inTurn = { kill: { write: 4, when: 'after' } } as const;

  it('is resumed, in its newest state, without a line that the kill has cut', async () => {
    const { cwd, execute, killAt } = makeClaude(`printf '{"cut' >> "$file"`, 2);
    expect(await execute(inTurn)).toBeUndefined();
    const worktree = worktreeOf(cwd);
    rmSync(join(worktree, 'waits'), { force: true });
    await killAt(join(worktree, 'waits'));
    expect(await execute()).toMatchObject({ answer: '#42', branch: 'main' });
    expect(subjects(cwd)).toEqual(['begin', 'start', 'again 1', 'again 2', 'b.txt', 'c.txt']);
  });

  it.each(['session', 'worktree'])('is not resumed without its %s: the agent starts again', async (lacks) => {
    const { cwd, execute } = makeClaude(lacks === 'session' ? 'rm "$file"' : ':', 1);
    expect(await execute(inTurn)).toBeUndefined();
    if (lacks === 'worktree') rmSync(worktreeOf(cwd), { recursive: true });
    expect(await execute()).toMatchObject({ answer: '#42', branch: 'main' });
    expect(subjects(cwd)).toEqual(['begin', 'start', 'start', 'b.txt', 'c.txt']);
  });
});

/** The lines that Claude Code prints, and its session on the host. */
function fakeClaude(log: string): { begin: string; end: string; env: Readonly<Record<string, string>> } {
  const folder = temporaryFolder();
  const sessions = join(folder, 'projects', 'place');
  return {
    begin: [
      `echo "start$RESUMED" >> ${log}`,
      `mkdir -p '${sessions}'; echo '{}' > '${sessions}/${CLAUDE_SESSION}.jsonl'`,
      PRINT_SESSION,
    ].join('\n'),
    end: printResult({ structured_output: { answer: 42 } }),
    env: { CLAUDE_CONFIG_DIR: folder },
  };
}

/** Kills around the answer. The short form tries each with one of the two other ways to answer. */
const AROUND_ANSWER = [
  ['resumes the session of an agent', BEFORE_ANSWER],
  ['lands the answer of an agent', AFTER_ANSWER],
] as const;

it.each(matrixColumns(0, AROUND_ANSWER, { rows: 2 }))('%s with a schema mode', async (_title, kill) => {
  const log = join(temporaryFolder(), 'starts');
  const { begin, end, env } = fakeClaude(log);
  const bin = temporaryFolder();
  const world = makeWorld({
    begin: `cat > /dev/null; case "$*" in *--resume*) RESUMED=' again';; esac\n${begin}`,
    end,
    env: { ...env, PATH: `${bin}${delimiter}${process.env['PATH']}` },
    host: { answers: 'native' },
  });
  writeFakeClaude(bin, world.script);
  expect(await world.execute({ kill })).toBeUndefined();
  const result = await world.execute();
  expect(result).toMatchObject({ answer: '#42', mode: 'native', branch: 'main' });
  expect(result?.commits).toHaveLength(2);
  expect(subjects(world.cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
  expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual(
    kill === BEFORE_ANSWER ? ['start', 'start again'] : ['start'],
  );
});

it.each(matrixColumns(1, AROUND_ANSWER, { rows: 2 }))('%s that submits to the tool', async (_title, kill) => {
  const { cwd, execute, starts } = makeWorld({ end: '', host: { answers: 'mcp' } });
  expect(await execute({ kill })).toBeUndefined();
  const result = await execute();
  expect(result).toMatchObject({ answer: '#42', mode: 'mcp', branch: 'main' });
  expect(result?.commits).toHaveLength(2);
  expect(subjects(cwd)).toEqual(['begin', 'b.txt', 'c.txt']);
  expect(starts()).toEqual(kill === BEFORE_ANSWER ? ['start', 'start s1'] : ['start']);
});

/** A folder outside of any repository, in which a read-only run works on a copy. */
function makeFolder(): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.txt'), 'one\n');
  return folder;
}

const PLACES = { 'a repository': makeRepository, 'a folder': makeFolder };

/** The short form reads a repository again, and stops an agent in a folder. */
const placesOf = (row: number) => matrixColumns(row, Object.entries(PLACES), { rows: 2 });

it.each(placesOf(0))('reads %s again, and leaves nothing there', async (_name, make) => {
  const cwd = make();
  const { execute, starts } = makeWorld({ cwd, host: { readOnly: true } });
  expect(await execute({ kill: BEFORE_ANSWER })).toBeUndefined();
  // Its session is not stored in the record, so the agent starts again.
  expect(await execute()).toMatchObject({ code: 'not-repeatable' });
  // The second agent has answered.
  const kill = { write: 4, when: 'after' } as const;
  expect(await execute({ kill, onInterruption: 'restart' })).toBeUndefined();
  const result = await execute();
  expect(result).toMatchObject({ answer: '#42', warnings: [] });
  for (const key of ['branch', 'commits', 'commitsSince']) expect(result).not.toHaveProperty(key);
  expect(starts()).toEqual(['start', 'start']);
  expect(await execute()).toEqual({ ...result, writes: 0 });
  const left = readdirSync(cwd).filter((name) => name !== '.truecast');
  expect(left).toEqual(existsSync(join(cwd, '.git')) ? ['.git', 'a.txt'] : ['a.txt']);
  if (!existsSync(join(cwd, '.git'))) return;
  expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  expect(git(cwd, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

it.each(placesOf(1))('stops an agent that still reads %s, before another one starts', async (_name, make) => {
  const pidFile = join(temporaryFolder(), 'pid');
  const stays = `echo $$ > ${pidFile}.part; mv ${pidFile}.part ${pidFile}; while :; do sleep 0.05; done`;
  // A killed process can wait for its parent.
  const alive = `grep -q '^State:[[:space:]]*[A-WYa-z]' "/proc/$(cat ${pidFile})/status" && : > ${pidFile}.seen`;
  const { execute, killAt } = makeWorld({
    cwd: make(),
    between: `if [ -e ${pidFile} ]; then ${alive}; else ${stays}; fi`,
    host: { readOnly: true, onInterruption: 'restart' },
  });
  await killAt(pidFile);
  const pid = readFileSync(pidFile, 'utf8').trim();
  expect(isRunning(pid)).toBe(true);
  expect(await execute()).toMatchObject({ answer: '#42' });
  expect([isRunning(pid), existsSync(`${pidFile}.seen`)]).toEqual([false, false]);
});

it('reads a folder once at a time', async () => {
  const cwd = makeFolder();
  const go = join(temporaryFolder(), 'go');
  const world = makeWorld({
    cwd,
    between: `: > ${go}.waits; while [ ! -e ${go} ]; do sleep 0.05; done`,
    host: { readOnly: true },
  });
  const running = world.execute({ isApart: true });
  await expect.poll(() => existsSync(`${go}.waits`), { timeout: 20_000 }).toBe(true);
  const refused = world.execute();
  await Promise.race([refused, expect.poll(() => world.starts().length, { timeout: 20_000 }).toBe(2)]);
  writeFileSync(go, '');
  expect(await refused).toMatchObject({ code: 'locked' });
  expect(await running).toMatchObject({ answer: '#42' });
  expect(world.starts()).toEqual(['start']);
});

const PULL_REQUEST = 'https://git.example.invalid/o/r/pull/7';

it('publishes once, and finds the pull request that a killed process opened', async () => {
  const cwd = makeRepository();
  const remote = join(dirname(cwd), 'remote.git');
  git(cwd, 'init', '-q', '--bare', remote);
  git(cwd, 'remote', 'add', 'origin', remote);
  git(cwd, 'push', '-q', 'origin', 'main');
  const bin = temporaryFolder();
  const opened = join(bin, 'opened');
  const exists = `echo 'a pull request already exists:' >&2; echo ${PULL_REQUEST} >&2; exit 1`;
  writeFileSync(
    join(bin, 'gh'),
    `#!/bin/sh\nif [ -e ${opened} ]; then ${exists}; fi\necho "$2" >> ${opened}; echo ${PULL_REQUEST}\n`,
  );
  chmodSync(join(bin, 'gh'), 0o755);
  const { execute, starts } = makeWorld({
    cwd,
    env: { PATH: `${bin}${delimiter}${process.env['PATH']}` },
    host: { strategy: 'default', publish: 'pull-request' },
  });
  expect(await execute({ kill: BEFORE_END })).toBeUndefined();
  expect(readFileSync(opened, 'utf8')).toBe('create\n');
  const result = await execute();
  expect(result).toMatchObject({ answer: '#42', pullRequestUrl: PULL_REQUEST, warnings: [] });
  expect(result?.commits).toHaveLength(2);
  expect(git(remote, 'rev-parse', result?.branch ?? '')).toBe(result?.commits?.at(-1)?.sha);
  expect(readFileSync(opened, 'utf8')).toBe('create\n');
  expect(starts()).toEqual(['start']);
  expect(await execute()).toEqual({ ...result, writes: 0 });
});
