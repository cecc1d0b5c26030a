/** Outcomes of a run: only an answer lands, and a question can be answered on the same branch. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import { stateFolderOf } from '../../packages/host/src/state-folder.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { askingAgent, printed } from './asking-agent.ts';
import { matrixRow } from '../matrix.ts';
import { commitLine, git, makeRepository, temporaryFolder } from './fixture.ts';

const output = Output.object({
  tag: 'result',
  schema: z.object({ db: z.string() }),
  question: true,
  decline: true,
  maxCorrections: 1,
});
const MERGING = { type: 'merge-to-head' } as const;
const HALF = commitLine('half.txt');
const REST = commitLine('rest.txt');
const QUESTION = printed({ question: { text: 'Which?', options: ['pg', 'my'] } });
const ANSWER = printed({ answer: { db: 'pg' } });
const asked = { prompt: 'Set up the database. Answer in <result>.', output } as const;

function subjects(cwd: string, branch = 'main'): readonly string[] {
  return git(cwd, 'log', '--format=%s', branch).split('\n').toReversed();
}

function branches(cwd: string): readonly string[] {
  return git(cwd, 'branch', '--format=%(refname:short)')
    .split('\n')
    .filter((name) => name !== 'main');
}

const PLACES: readonly (readonly [
  name: string,
  describes: typeof describe,
  sandbox: () => SandboxProvider,
])[] = [
  ['without a sandbox', describe, () => noSandbox()],
  ['in bubblewrap', describeInBubblewrap as typeof describe, () => bubblewrap({ egress: 'none' })],
];

for (const [row, [place, describes, sandbox]] of PLACES.entries()) {
  // The short form tries each case in one of the two.
  const test = matrixRow(row, { rows: PLACES.length });
  describes(`a run that can ask, ${place}`, () => {
    test('merges nothing after a question, and all commits after the answer', async () => {
      const cwd = makeRepository();
      const { agent, starts } = askingAgent([`${HALF}; ${QUESTION}`, `${REST}; ${ANSWER}`]);
      const options = { ...asked, agent, sandbox: sandbox(), cwd, branchStrategy: MERGING };
      const result = await run(options);
      expect(result.output).toEqual({
        outcome: 'question',
        question: { text: 'Which?', options: ['pg', 'my'] },
      });
      expect(subjects(cwd)).toEqual(['begin']);
      expect(branches(cwd)).toEqual([result.branch]);
      expect(subjects(cwd, result.branch)).toEqual(['begin', 'add half.txt']);

      const answered = await result.answer?.('Use pg.');
      expect(answered?.output).toEqual({ outcome: 'answered', answer: { db: 'pg' } });
      expect(answered).not.toHaveProperty('answer');
      expect(subjects(cwd)).toEqual(['begin', 'add half.txt', 'add rest.txt']);
      expect(branches(cwd)).toEqual([]);
      expect(starts.map(({ resumeSession }) => resumeSession)).toEqual([undefined, 'session-1']);
      expect(starts[1]?.prompt).toContain('The answer to your question: Use pg.');
      expect(starts.every(({ asksByOutcome }) => asksByOutcome === true)).toBe(true);
    });

    test('lands the commits before the question if the answer needs no further one', async () => {
      const cwd = makeRepository();
      const { agent } = askingAgent([`${HALF}; ${QUESTION}`, QUESTION, ANSWER]);
      const result = await run({ ...asked, agent, sandbox: sandbox(), cwd, branchStrategy: MERGING });
      const again = await result.answer?.('Use pg.');
      expect(branches(cwd)).toEqual([result.branch]);
      git(cwd, 'commit', '-q', '--allow-empty', '-m', 'of the user');
      await again?.answer?.('Really.');
      expect(existsSync(join(cwd, 'half.txt'))).toBe(true);
      expect(branches(cwd)).toEqual([]);
    });
  });
}

describe('a run that can ask', () => {
  it('keeps the branch of a refusal, and has no `answer`', async () => {
    const cwd = makeRepository();
    const { agent } = askingAgent([`${HALF}; ${printed({ declined: 'unsafe' })}`]);
    const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING });
    expect(result.output).toEqual({ outcome: 'declined', reason: 'unsafe' });
    expect(result).not.toHaveProperty('answer');
    expect(subjects(cwd)).toEqual(['begin']);
    expect(subjects(cwd, result.branch)).toEqual(['begin', 'add half.txt']);
  });

  it('corrects a bad question by the usual retry', async () => {
    const cwd = makeRepository();
    const { agent, starts } = askingAgent([printed({ question: {} }), QUESTION, `${REST}; ${ANSWER}`]);
    const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING });
    expect(result.provenance.attempts.map(({ code }) => code)).toEqual(['schema-mismatch', 'ok']);
    expect(branches(cwd)).toEqual([]);
    await result.answer?.('Use pg.');
    expect(subjects(cwd)).toEqual(['begin', 'add rest.txt']);
    expect(starts).toHaveLength(3);
  });

  it('keeps uncommitted work, and continues in it', async () => {
    const cwd = makeRepository();
    const { agent } = askingAgent([
      `echo draft > draft.txt; ${QUESTION}`,
      `git add draft.txt && git commit -qm draft; ${ANSWER}`,
    ]);
    const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING });
    expect(readFileSync(join(result.preservedWorktreePath ?? '', 'draft.txt'), 'utf8')).toBe('draft\n');
    const answered = await result.answer?.('Use pg.');
    expect(answered).not.toHaveProperty('preservedWorktreePath');
    expect(subjects(cwd)).toEqual(['begin', 'draft']);
    expect(existsSync(result.preservedWorktreePath ?? '')).toBe(false);
  });

  it('starts an agent without sessions again, with the prompt, the question and the answer', async () => {
    const cwd = makeRepository();
    const fresh = Output.object({ ...output, retry: 'fresh' });
    const { agent, starts } = askingAgent([`${HALF}; ${QUESTION}`, ANSWER], { hasSessions: false });
    const options = { ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING };
    const result = await run({ ...options, output: fresh });
    await result.answer?.('Use pg.');
    expect(starts[1]?.resumeSession).toBeUndefined();
    expect(starts[1]?.prompt).toContain(asked.prompt);
    expect(starts[1]?.prompt).toContain('"text":"Which?"');
    expect(starts[1]?.prompt).toContain('Use pg.');
    expect(subjects(cwd)).toEqual(['begin', 'add half.txt']);
  });

  it('works on by its branch in another call, and refuses a branch of another kind', async () => {
    const cwd = makeRepository();
    const { agent } = askingAgent([`${HALF}; ${QUESTION}`, ANSWER]);
    const options = { ...asked, agent, sandbox: noSandbox(), cwd };
    const { branch } = await run({ ...options, branchStrategy: MERGING });
    await run({ ...options, branchStrategy: { ...MERGING, branch }, session: { resume: 'session-1' } });
    expect(subjects(cwd)).toEqual(['begin', 'add half.txt']);
    git(cwd, 'branch', 'mine');
    await expect(run({ ...options, branchStrategy: { ...MERGING, branch: 'mine' } })).rejects.toMatchObject({
      code: 'invalid-branch',
    });
  });

  it('keeps the branch of a question on the default branch, also without further commits', async () => {
    const cwd = makeRepository();
    const { agent } = askingAgent([`${HALF}; ${QUESTION}`, ANSWER]);
    const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd });
    const answered = await result.answer?.('Use pg.');
    expect(answered?.branch).toBe(result.branch);
    expect(subjects(cwd, result.branch)).toEqual(['begin', 'add half.txt']);
    expect(subjects(cwd)).toEqual(['begin']);
  });

  it('searches the commits before the question for secrets too', async () => {
    const cwd = makeRepository();
    const leak = `echo "$DEPLOY_TOKEN" > half.txt && git add half.txt && git commit -qm leak`;
    const { agent } = askingAgent([`${leak}; ${QUESTION}`, `${REST}; ${ANSWER}`]);
    const env = { DEPLOY_TOKEN: 'a-secret-of-the-deployment-0123456789' };
    const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING, env });
    await expect(result.answer?.('Use pg.')).rejects.toMatchObject({ code: 'secret-in-commits' });
    expect(subjects(cwd)).toEqual(['begin']);
  });

  it('publishes nothing after a question, and the whole branch after the answer', async () => {
    const folder = temporaryFolder();
    const cwd = makeRepository();
    const remote = join(folder, 'remote.git');
    git(cwd, 'init', '-q', '--bare', remote);
    git(cwd, 'remote', 'add', 'origin', remote);
    git(cwd, 'push', '-q', 'origin', 'main');
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'gh'), '#!/bin/sh\necho https://git.example.invalid/o/r/pull/7\n', {
      mode: 0o755,
    });
    vi.stubEnv('PATH', `${join(folder, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`);
    try {
      const { agent } = askingAgent([`${HALF}; ${QUESTION}`, ANSWER]);
      const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd, publish: 'pull-request' });
      expect(result).not.toHaveProperty('pullRequestUrl');
      expect(git(remote, 'branch', '--format=%(refname:short)')).toBe('main');
      const answered = await result.answer?.('Use pg.');
      expect(answered?.pullRequestUrl).toBe('https://git.example.invalid/o/r/pull/7');
      expect(subjects(remote, result.branch)).toEqual(['begin', 'add half.txt']);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('checks no question on a commit, and the answer on all of them', async () => {
    const cwd = makeRepository();
    const checked: string[] = [];
    const strict = Output.object({
      tag: 'result',
      schema: z.object({ db: z.string() }),
      question: true,
      async check({ db }, { exec }) {
        const { exitCode } = await exec('test -e half.txt && test -e rest.txt');
        checked.push(`${db} ${exitCode}`);
        return exitCode === 0 ? undefined : 'a file is missing';
      },
    });
    const { agent } = askingAgent([`${HALF}; ${QUESTION}`, `${REST}; ${ANSWER}`]);
    const options = { ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING };
    const result = await run({ ...options, output: strict });
    expect(checked).toEqual([]);
    const answered = await result.answer?.('Use pg.');
    expect(checked).toEqual(['pg 0', 'pg 0']);
    expect(answered?.provenance.check?.verdict).toBe('passed');
    expect(subjects(cwd)).toEqual(['begin', 'add half.txt', 'add rest.txt']);
  });

  it('lands nothing of a kept worktree either, until the answer', async () => {
    const cwd = makeRepository();
    const { agent } = askingAgent([`${HALF}; ${QUESTION}`, ANSWER]);
    await using place = await createWorktree({ cwd, branchStrategy: MERGING });
    const result = await place.run({ ...asked, agent, sandbox: noSandbox() });
    expect(subjects(cwd)).toEqual(['begin']);
    await result.answer?.('Use pg.');
    expect(subjects(cwd)).toEqual(['begin', 'add half.txt']);
  });

  it('records the kind of each outcome', async () => {
    const cwd = makeRepository();
    const { agent } = askingAgent([QUESTION, ANSWER]);
    const result = await run({ ...asked, agent, sandbox: noSandbox(), cwd, branchStrategy: MERGING });
    await result.answer?.('Use pg.');
    const lines = readFileSync(join(stateFolderOf(join(cwd, '.git')), 'outcomes.jsonl'), 'utf8').trim();
    expect(lines.split('\n').map((line) => (JSON.parse(line) as Record<string, unknown>)['outcome'])).toEqual(
      ['question', 'answered'],
    );
  });

  it('refuses an empty answer', async () => {
    const { agent } = askingAgent([QUESTION]);
    const options = { ...asked, agent, sandbox: noSandbox(), cwd: makeRepository() };
    const result = await run(options);
    expect(() => result.answer?.(' ')).toThrow('expected a non-empty string');
  });
});
