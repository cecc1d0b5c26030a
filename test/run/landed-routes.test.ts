/** Tests of checked runs on the other routes: kept places, batches, tools, sessions, publications, hooks. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { BatchResult } from '../../packages/truecast/src/run/batch/batch-queue.ts';
import { runBatch } from '../../packages/truecast/src/run/batch/run-batch.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { listKeptRunIds, readKeptRun } from '../../packages/truecast/src/run/record/read-kept-runs.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { checkedOutput, checkedRepository, isGreen, WORK } from './checked-repository.ts';
import { git, temporaryFolder } from './fixture.ts';
import { submit, submittingAgent } from './submitting-agent.ts';

const HALF = `${WORK.fixBoth}; ${WORK.commitHalf}; ${WORK.answer}`;
const ALL = `${WORK.fixBoth}; ${WORK.commitAll}; ${WORK.answer}`;
const ASKED = { prompt: 'Answer in <result>.', output: checkedOutput() } as const;
const MERGING = { type: 'merge-to-head' } as const;

function shell(script: string): AgentProvider {
  return command({ command: ['sh', '-c', script] });
}

function optionsFor(cwd: string, script: string): RunOptions & { readonly output: typeof ASKED.output } {
  return { ...ASKED, agent: shell(script), sandbox: noSandbox(), cwd, branchStrategy: MERGING };
}

/** Worktrees, branches and stores that only a run needs. */
function leftovers(cwd: string): readonly string[] {
  const stores = join(cwd, '.git', 'truecast', 'guests');
  return [
    ...git(cwd, 'worktree', 'list', '--porcelain').split('\n\n').slice(1),
    ...git(cwd, 'branch', '--format=%(refname:short)').split('\n').slice(1),
    ...(existsSync(stores) ? readdirSync(stores) : []),
  ];
}

it('a kept sandbox refuses a half commit, and then returns a whole one', async () => {
  const cwd = checkedRepository(temporaryFolder());
  await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
  await expect(sandbox.run({ ...ASKED, agent: shell(HALF) })).rejects.toMatchObject({
    code: 'check-failed',
    branch: 'work',
  });
  const { provenance } = await sandbox.run({ ...ASKED, agent: shell(ALL) });
  expect(provenance.check?.commit).toBe(git(cwd, 'rev-parse', 'work'));
  expect(isGreen(cwd, 'work')).toBe(true);
});

it('a kept worktree refuses a half commit, and then merges a whole one', async () => {
  const cwd = checkedRepository(temporaryFolder());
  const before = git(cwd, 'rev-parse', 'main');
  await using worktree = await createWorktree({ branchStrategy: MERGING, cwd });
  const asked = { ...ASKED, sandbox: noSandbox() };
  await expect(worktree.run({ ...asked, agent: shell(HALF) })).rejects.toMatchObject({
    code: 'check-failed',
  });
  expect(git(cwd, 'rev-parse', 'main')).toBe(before);
  await worktree.run({ ...asked, agent: shell(ALL) });
  expect(isGreen(cwd, 'main')).toBe(true);
});

it('a batch keeps the branch of a half commit as a failed item', async () => {
  const cwd = checkedRepository(temporaryFolder());
  const results: BatchResult[] = [];
  await runBatch({
    cwd,
    sandbox: noSandbox(),
    prompt: '{{SCRIPT}} Answer in <result>.',
    output: checkedOutput(),
    agent: shell(`if grep -q half; then ${HALF}; else ${ALL}; fi`),
    inputs: [{ SCRIPT: 'half' }, { SCRIPT: 'whole' }],
    onResult: (result) => void results.push(result),
  });
  const [half, whole] = results.toSorted((a, b) => a.line - b.line);
  expect(half).toMatchObject({ status: 'failed', error: { code: 'check-failed' } });
  expect(whole).toMatchObject({ status: 'ok', provenance: { check: { verdict: 'passed' } } });
  expect([half, whole].map((result) => isGreen(cwd, result?.branch))).toEqual([false, true]);
});

it('an answer that was submitted with the tool is verified too', async () => {
  const cwd = checkedRepository(temporaryFolder());
  const before = git(cwd, 'rev-parse', 'main');
  const submitting = submittingAgent([submit({ done: true })]);
  const agent: AgentProvider = {
    ...submitting,
    buildPrintCommand(options) {
      const built = submitting.buildPrintCommand(options);
      return { ...built, command: `${WORK.fixBoth}; ${WORK.commitHalf}; ${built.command}` };
    },
  };
  const { tag: _tag, ...output } = checkedOutput();
  await expect(
    run({ ...optionsFor(cwd, ''), agent, prompt: 'Answer.', output: { ...output, mode: 'mcp' } }),
  ).rejects.toMatchObject({ code: 'check-failed', message: expect.stringContaining('`b.txt`') as unknown });
  expect(git(cwd, 'rev-parse', 'main')).toBe(before);
});

it('the agent is asked again in its own session, to commit what is missing', async () => {
  const cwd = checkedRepository(temporaryFolder());
  const turns: { readonly prompt: string; readonly resumed: string | undefined }[] = [];
  const agent: AgentProvider = {
    ...command({
      command: 'true',
      parse: (line) => [
        { type: 'session', sessionId: 'session-1' },
        { type: 'text', text: `${line}\n` },
      ],
    }),
    sessionStorage: {
      isKeptByAgent: true,
      captureToHost: () => Promise.resolve(undefined),
      resumeIntoSandbox: () => Promise.resolve(),
      readHostSession: () => Promise.resolve(undefined),
      existsOnHost: () => Promise.resolve(true),
      hostSessionFilePath: () => undefined,
      findByIdOnHost: () => Promise.resolve({ path: undefined, searchedRoot: '' }),
    },
    buildPrintCommand({ prompt, resumeSession }) {
      turns.push({ prompt, resumed: resumeSession });
      return { command: turns.length === 1 ? HALF : `${WORK.commitAll}; ${WORK.answer}` };
    },
  };
  const { provenance } = await run({
    ...optionsFor(cwd, ''),
    agent,
    output: checkedOutput({ maxCorrections: 1 }),
  });
  expect(turns.map(({ resumed }) => resumed)).toEqual([undefined, 'session-1']);
  expect(turns[1]?.prompt).toContain('Not committed: `b.txt`.');
  expect(turns[1]?.prompt).toContain('Commit all that the check needs');
  expect(turns[1]?.prompt).not.toContain('change no files');
  expect(provenance.attempts.map(({ code }) => code)).toEqual(['check-failed', 'ok']);
  expect(isGreen(cwd, 'main')).toBe(true);
});

it('`publish` pushes the checked commit, although the branch has moved', async () => {
  const folder = temporaryFolder();
  const cwd = checkedRepository(folder);
  const remote = join(folder, 'remote.git');
  git(cwd, 'init', '-q', '--bare', remote);
  git(cwd, 'remote', 'add', 'origin', remote);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'gh'), '#!/bin/sh\necho https://git.example.invalid/o/r/pull/7\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH'] ?? ''}`);
  const folders: string[] = [];
  const output = checkedOutput({}, (at) => {
    folders.push(at);
    if (folders.length === 2) git(folders[0] ?? '', 'commit', '-q', '--allow-empty', '-m', 'late');
  });
  const branchStrategy = { type: 'branch', branch: 'topic' } as const;
  const options = { ...optionsFor(cwd, ALL), output, branchStrategy, publish: 'pull-request' } as const;
  const result = await run(options).finally(() => vi.unstubAllEnvs());
  expect(git(remote, 'rev-parse', 'topic')).toBe(result.provenance.check?.commit);
  expect(git(cwd, 'log', '-1', '--format=%s', 'topic')).toBe('late');
  expect(result.commits).toEqual([{ sha: git(remote, 'rev-parse', 'topic') }]);
});

it('with `head` the check runs once, and a dirty tree is a warning that names the files', async () => {
  const cwd = checkedRepository(temporaryFolder());
  let checks = 0;
  const output = checkedOutput({}, () => void (checks += 1));
  const { warnings, provenance } = await run({
    ...optionsFor(cwd, HALF),
    output,
    branchStrategy: { type: 'head' },
  });
  expect(checks).toBe(1);
  expect(warnings.join()).toMatch(/uncommitted changes: `b\.txt`/u);
  expect(provenance.check).toBeUndefined();
});

it('the record of the run names the checked commit', async () => {
  const cwd = checkedRepository(temporaryFolder());
  const { provenance } = await run({ ...optionsFor(cwd, ALL), logging: { type: 'file' } });
  const folder = stateFolderOf(cwd);
  const [id = ''] = await listKeptRunIds(folder);
  const kept = await readKeptRun(folder, id);
  expect(provenance.check).toMatchObject({ verdict: 'passed', commit: git(cwd, 'rev-parse', 'main') });
  expect(kept).toMatchObject({ check: provenance.check });
});

it('a check that uses no files runs once, and starts no checkout', async () => {
  const cwd = checkedRepository(temporaryFolder());
  let checks = 0;
  const output = Output.object({
    tag: 'result',
    schema: z.object({ done: z.boolean() }),
    check: ({ done }) => {
      checks += 1;
      return done ? undefined : 'not done';
    },
  });
  const { provenance } = await run({ ...optionsFor(cwd, HALF), output });
  expect([checks, provenance.check]).toEqual([1, undefined]);
  expect(git(cwd, 'log', '-1', '--format=%s', 'main')).toBe('half');
});

describeInBubblewrap('the clean checkout', () => {
  it('gets copied files and hooks, and leaves no worktree, branch or store behind', async () => {
    const cwd = checkedRepository(temporaryFolder());
    writeFileSync(join(cwd, 'key.ignored'), 'from the user');
    const seen: string[] = [];
    const output = Output.object({
      tag: 'result',
      schema: z.object({ done: z.boolean() }),
      async check(_value, { exec }) {
        const { stdout } = await exec('cat key.ignored host.ignored inside.ignored; git status --porcelain');
        seen.push(stdout);
        if (seen.length === 2) {
          await exec('git commit -q --allow-empty -m "of the check"; touch of-the-check');
        }
        return undefined;
      },
    });
    await run({
      ...optionsFor(cwd, ALL),
      sandbox: bubblewrap({ egress: 'none' }),
      output,
      copyToWorktree: ['key.ignored'],
      hooks: {
        host: { onWorktreeReady: [{ command: 'printf host > host.ignored' }] },
        sandbox: { onSandboxReady: [{ command: 'printf inside > inside.ignored' }] },
      },
    });
    expect(seen).toEqual(['from the userhostinside', 'from the userhostinside']);
    expect(leftovers(cwd)).toEqual([]);
    expect(existsSync(join(cwd, 'of-the-check'))).toBe(false);
  });

  it('never runs on the host what the agent committed for a hook', async () => {
    const cwd = checkedRepository(temporaryFolder());
    const log = join(temporaryFolder(), 'log');
    writeFileSync(join(cwd, 'prepare.sh'), `pwd >> '${log}'\n`);
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'a hook');
    const planted = `echo "echo planted >> '${log}'" > prepare.sh`;
    const hook = [{ command: 'sh prepare.sh' }];
    const { provenance } = await run({
      ...optionsFor(cwd, `${planted}; ${ALL}`),
      sandbox: bubblewrap({ egress: 'none' }),
      hooks: { host: { onWorktreeReady: hook, onSandboxReady: hook } },
    });
    expect(provenance.check?.verdict).toBe('passed');
    expect(readFileSync(log, 'utf8')).not.toContain('planted');
    expect(readFileSync(log, 'utf8').trim().split('\n')).toHaveLength(4);
  });
});
