/** Tests of `--sensitive-changes` and `--editable`, and of the report of `run` and `batch`, as processes. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeInBubblewrap } from '../describe-in-bubblewrap.ts';
import { git, makeRepository, truecast } from './cli-fixture.ts';

/** Commits a change for git, one for an editor, and answers. */
const AGENT = `command:sh -c 'mkdir -p .vscode && echo "{}" > .vscode/tasks.json && echo "[submodule \\"x\\"]" > .gitmodules && git add -A && git commit -qm work && echo "<result>{\\"answer\\":1}</result>"'`;
const EDITOR_ONLY = AGENT.replace('echo "[submodule \\"x\\"]" > .gitmodules', 'true');
const REPORT = [
  'Changes that run code on this machine later:',
  '  added .gitmodules (git-modules, run by git)',
  '  added .vscode/tasks.json (editor-settings, run by editor)',
].join('\n');

function flags(agent: string, ...more: readonly string[]): string[] {
  const answer = ['--tag', 'result', '--schema', '../s.json', '--prompt', 'Answer in <result>.'];
  return ['run', '--sandbox', 'none', '--quiet', '--agent', agent, ...answer, ...more];
}

describe('truecast run --sensitive-changes', () => {
  it('prints the changes on stderr, also with --quiet', async () => {
    const repo = makeRepository();
    const { stdout, stderr, exitCode } = await truecast(repo, ...flags(AGENT));
    expect({ exitCode, output: JSON.parse(stdout) as unknown }).toEqual({
      exitCode: 0,
      output: { answer: 1 },
    });
    expect(stderr).toContain(REPORT);
  });

  it.each<readonly [policy: readonly string[], agent: string, isMerged: boolean]>([
    [[], AGENT, false],
    [[], EDITOR_ONLY, true],
    [['--sensitive-changes', 'error'], EDITOR_ONLY, false],
    [['--sensitive-changes', 'warn'], AGENT, true],
    [['--sensitive-changes', 'allow'], AGENT, true],
  ])('decides a merge: %j', async (policy, agent, isMerged) => {
    const repo = makeRepository();
    const { stderr, exitCode } = await truecast(repo, ...flags(agent, '--merge', ...policy));
    expect(exitCode, stderr).toBe(isMerged ? 0 : 1);
    expect(existsSync(join(repo, '.vscode/tasks.json'))).toBe(isMerged);
    if (!isMerged) expect(stderr).toMatch(/was not merged: .*`--sensitive-changes warn`/su);
    else if (policy.includes('allow')) expect(stderr).not.toContain('tasks.json');
    else expect(stderr).toContain('added .vscode/tasks.json');
  });

  it.each([
    [['--sensitive-changes', 'maybe'], 'Allowed choices are error, warn, allow.'],
    [['--head', '--editable', '../x'], "'--editable <path...>' argument '../x' is invalid. Expected a path"],
    [['--head', '--editable', '/etc'], "'--editable <path...>' argument '/etc' is invalid. Expected a path"],
    [['--editable', '.vscode/'], '`--editable` needs `--head`'],
  ])('refuses %j in the words of the flag', async (wrong, message) => {
    const repo = makeRepository();
    const { stdout, stderr, exitCode } = await truecast(repo, ...flags(AGENT, ...wrong));
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 2 });
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/sensitiveChanges|editablePaths/u);
    expect(await git(repo, 'log', '--format=%s', '--all')).toBe('begin');
  });
});

describeInBubblewrap('truecast run --editable', () => {
  it('opens the named paths of the checkout alone', async () => {
    const repo = makeRepository();
    const write = `command:sh -c 'for d in .vscode .idea .cursor; do mkdir -p $d; echo "{}" > $d/x.json; done; echo "<result>{\\"answer\\":1}</result>"'`;
    const own = flags(write, '--head', '--sandbox', 'bubblewrap', '--egress', 'none');
    const { stderr, exitCode } = await truecast(repo, ...own, '--editable', '.vscode/', '.idea');
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toContain('  added .idea/x.json (editor-settings, run by editor)');
    expect(stderr).toContain('  added .vscode/x.json (editor-settings, run by editor)');
    expect(['.vscode', '.idea', '.cursor'].map((name) => existsSync(join(repo, name, 'x.json')))).toEqual([
      true,
      true,
      false,
    ]);
  });
});

describe('truecast batch', () => {
  it('prints the changes of each item on stderr, also with --quiet, and keeps them in its result', async () => {
    const repo = makeRepository();
    writeFileSync(join(repo, 'items.jsonl'), '{"id":"a"}\n');
    const shared = ['--sandbox', 'none', '--tag', 'result', '--schema', '../s.json', '--quiet'];
    const batch = ['batch', '--inputs', 'items.jsonl', '--prompt', 'Answer in <result>.', '--agent', AGENT];
    const { stderr, exitCode } = await truecast(repo, ...batch, ...shared, '--out', 'out.jsonl');
    expect(exitCode, stderr).toBe(0);
    expect(stderr).toMatch(/^1\/1 line 1 \(a\): ok /mu);
    expect(stderr).toContain(REPORT);
    const common = { change: 'added', source: 'commits' };
    expect(JSON.parse(readFileSync(join(repo, 'out.jsonl'), 'utf8'))).toMatchObject({
      sensitiveChanges: [
        { path: '.gitmodules', reason: 'git-modules', runsAt: 'git', ...common },
        { path: '.vscode/tasks.json', reason: 'editor-settings', runsAt: 'editor', ...common },
      ],
    });
  });
});
