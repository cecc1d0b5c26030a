/** Tests of agents on real terminals. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { interactive } from '../../packages/truecast/src/run/interactive.ts';
import { createBindMountSandboxProvider } from '../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { bundledHost } from '../bundled-host.ts';
import { commitLine, git, makeRepository } from './fixture.ts';
import { onTerminal } from './terminal.ts';

const HOST: string = await bundledHost(new URL('interactive-host.ts', import.meta.url));

function resultIn(shown: string): unknown {
  return JSON.parse(/RESULT (\{.*\})/u.exec(shown)?.[1] ?? 'null');
}

describe('interactive()', () => {
  it('gives the agent the terminal, and returns its commits', async () => {
    const cwd = makeRepository();
    const script = `test -t 0 && test -t 1 && printf 'name? ' && read name && echo "hello $name" && ${commitLine('one')}; exit 3`;
    const shown = await onTerminal({
      args: [HOST, cwd, script],
      cwd,
      typed: [{ after: 'name? ', keys: 'Ada\r' }],
    });
    expect(shown).toContain('hello Ada');
    expect(resultIn(shown)).toMatchObject({
      exitCode: 3,
      branch: 'main',
      commits: [{ sha: git(cwd, 'rev-parse', 'HEAD') }],
    });
  });

  it('merges commits of a temporary branch, and removes the worktree', async () => {
    const cwd = makeRepository();
    const shown = await onTerminal({ args: [HOST, cwd, commitLine('one'), 'merge'], cwd });
    expect(resultIn(shown)).toMatchObject({ exitCode: 0, branch: 'main', commits: [expect.anything()] });
    expect(git(cwd, 'ls-files')).toBe('a.txt\none');
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
  });

  it('keeps a filter on that is a script of the repository, as without Truecast', async () => {
    const cwd = makeRepository();
    git(cwd, 'config', 'filter.rot.clean', 'sh rot.sh a-z b-za');
    git(cwd, 'config', 'filter.rot.smudge', 'sh rot.sh b-za a-z');
    writeFileSync(join(cwd, 'rot.sh'), 'exec tr "$1" "$2"\n');
    writeFileSync(join(cwd, '.gitattributes'), '*.enc filter=rot\n');
    writeFileSync(join(cwd, 'x.enc'), 'secret\n');
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'filter');
    const shown = await onTerminal({ args: [HOST, cwd, `cat x.enc; ${commitLine('n.enc')}`, 'merge'], cwd });
    expect(shown).toContain('secret');
    expect(resultIn(shown)).toMatchObject({ exitCode: 0, commits: [expect.anything()] });
    expect(git(cwd, 'cat-file', 'blob', 'HEAD:n.enc')).toBe('xpsl');
    expect(readFileSync(join(cwd, 'n.enc'), 'utf8')).toBe('work\n');
  });

  it('asks for the arguments that a template wants', async () => {
    const cwd = makeRepository();
    const promptFile = join(cwd, 'prompt.md');
    writeFileSync(promptFile, 'Fix {{ISSUE}} on {{SOURCE_BRANCH}}.');
    const shown = await onTerminal({
      args: [HOST, cwd, 'echo "got: $1"', 'head', promptFile],
      cwd,
      typed: [{ after: '{{ISSUE}}', keys: '42\r' }],
    });
    expect(shown).toContain('got: Fix 42 on main.');
  });

  it('leaves Ctrl-C to the agent', async () => {
    const cwd = makeRepository();
    const script = `trap 'echo caught' INT; echo ready; read line; read line; ${commitLine('one')}`;
    const shown = await onTerminal({
      args: [HOST, cwd, script],
      cwd,
      typed: [
        { after: 'ready', keys: '\u0003' },
        { after: 'caught', keys: 'a\rb\r' },
      ],
    });
    expect(resultIn(shown)).toMatchObject({ exitCode: 0, commits: [expect.anything()] });
  });

  it('refuses an agent and a sandbox that know no terminal', async () => {
    const cwd = makeRepository();
    await expect(interactive({ agent: command({ command: 'true' }), cwd })).rejects.toThrow(UsageError);
    const mute = createBindMountSandboxProvider({
      name: 'mute',
      async create(options) {
        const { interactiveExec: _none, ...handle } = await noSandbox().create(options);
        return handle;
      },
    });
    const agent = { ...command({ command: 'true' }), buildInteractiveArgs: () => ['true'] };
    await expect(interactive({ agent, sandbox: mute, cwd })).rejects.toThrow(/interactiveExec/u);
  });
});

describe('sandbox.interactive()', () => {
  it('works in the warm sandbox with the agent`s own environment', async () => {
    const cwd = makeRepository();
    await using sandbox = await createSandbox({ branch: 'work', sandbox: noSandbox(), cwd });
    const agent = {
      ...command({ command: 'true', env: { OWN: 'o' } }),
      buildInteractiveArgs: ({ prompt }: { prompt: string }) => [
        'sh',
        '-c',
        `test "$OWN" = o && test "$1" = hi && ${commitLine('one')}`,
        'sh',
        prompt,
      ],
    };
    const { commits, exitCode } = await sandbox.interactive({ agent, prompt: 'hi' });
    expect(exitCode).toBe(0);
    expect(commits).toEqual([{ sha: git(cwd, 'rev-parse', 'work') }]);
  });
});
