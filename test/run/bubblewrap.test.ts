/**
 * Tests of `run()` in bubblewrap: the guest works, commits and answers, and cannot run anything on
 * the host.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { offlineAgent } from '../../packages/testing/src/offline-agent/offline-agent-provider.ts';
import { step } from '../../packages/testing/src/scripted-agent/agent-step.ts';
import { scriptedAgent } from '../../packages/testing/src/scripted-agent/scripted-agent.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import {
  answerOutput,
  commitLine,
  git,
  makeRepository,
  PRINT_ANSWER,
  runOptions,
  temporaryFolder,
} from './fixture.ts';

const SANDBOX = { sandbox: bubblewrap({ egress: 'none' }) } as const;

/** Plants a repository whose configuration runs a program, as a submodule. */
const plant = (marker: string): string => `
  mkdir -p sub && cd sub && git init -q . && git commit -q --allow-empty -m inner &&
  git config core.fsmonitor "touch '${marker}'; false" && cd .. &&
  git update-index --add --cacheinfo 160000,$(git -C sub rev-parse HEAD),sub && git commit -q -m 'add sub'`;

describe('a run in bubblewrap', () => {
  it('answers and commits, and merges like any other', async () => {
    const cwd = makeRepository();
    const result = await run({
      ...runOptions(`${commitLine('b.txt')} && ${PRINT_ANSWER}`, {
        cwd,
        ...SANDBOX,
        branchStrategy: { type: 'merge-to-head' },
      }),
      output: answerOutput,
    });
    expect(result.output.answer).toBe(42);
    expect(result.commits).toEqual([{ sha: git(cwd, 'rev-parse', 'HEAD') }]);
    expect(git(cwd, 'status', '--porcelain')).toBe('');
    expect(git(cwd, 'worktree', 'list').split('\n')).toHaveLength(1);
    expect(git(cwd, 'fsck')).toBe('');
  });

  it('shows the offline agent its own program, and nothing of the home', async () => {
    const cwd = makeRepository();
    const result = await run({
      ...runOptions('', { cwd, ...SANDBOX, agent: offlineAgent() }),
      output: Output.json({ tag: 'result' }),
    });
    expect(result.output).toMatchObject({ filesTracked: expect.any(Number) as unknown });
  });

  it('that runs already refuses an agent whose program it does not show, before the agent starts', async () => {
    const cwd = makeRepository();
    const agent = scriptedAgent({ steps: [step.shell(commitLine('a'))] });
    const asked = { branch: 'work', sandbox: bubblewrap({ egress: 'none' }), cwd } as const;
    const without = await createSandbox(asked);
    await expect(without.run({ agent, prompt: 'p' })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(
        /program `.*scripted-agent-program.*` of the agent `scripted` is not in this sandbox.*`createSandbox\(\{ agents \}\)`/u,
      ) as unknown,
    });
    await without.close();
    await using sandbox = await createSandbox({ ...asked, agents: [agent] });
    expect((await sandbox.run({ agent, prompt: 'p' })).commits).toHaveLength(1);
  });

  it('sees of the environment only what was named', async () => {
    process.env['HOST_SECRET'] = 'host secret';
    const result = await run(runOptions('env', { ...SANDBOX, env: { NAMED: 'yes' } }));
    delete process.env['HOST_SECRET'];
    expect(result.stdout).toContain('NAMED=yes');
    expect(result.stdout).not.toContain('host secret');
  });

  it('leaves nothing for a plain `git status` of the user to run', async () => {
    const cwd = makeRepository();
    const marker = join(temporaryFolder(), 'ran-on-the-host');
    const result = await run(
      runOptions(`${plant(marker)}; echo dirt > dirt.txt`, {
        cwd,
        ...SANDBOX,
        branchStrategy: { type: 'branch', branch: 'topic' },
      }),
    );
    const kept = result.preservedWorktreePath ?? '';
    expect(readFileSync(join(kept, 'dirt.txt'), 'utf8')).toBe('dirt\n');
    git(kept, 'status');
    expect(existsSync(marker)).toBe(false);
    expect(result.warnings.join('\n')).toContain('sub');
  });

  it('leaves nothing to run when it failed, either', async () => {
    const marker = join(temporaryFolder(), 'ran-on-the-host');
    const failure: unknown = await run(
      runOptions(`${plant(marker)}; exit 1`, {
        ...SANDBOX,
        branchStrategy: { type: 'branch', branch: 'topic' },
      }),
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'exit', preservedWorktreePath: expect.any(String) as unknown });
    git((failure as { preservedWorktreePath: string }).preservedWorktreePath, 'status');
    expect(existsSync(marker)).toBe(false);
  });

  it('cannot write the hooks, the configuration or the main checkout of the repository', async () => {
    const cwd = makeRepository();
    mkdirSync(join(cwd, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(cwd, 'a.txt'), 'host\n');
    const script = `echo x > '${cwd}/.git/hooks/post-checkout'; git config --file '${cwd}/.git/config' core.pager touch; echo x > '${cwd}/a.txt'; true`;
    await run(runOptions(script, { cwd, ...SANDBOX, branchStrategy: { type: 'branch', branch: 'topic' } }));
    expect(existsSync(join(cwd, '.git', 'hooks', 'post-checkout'))).toBe(false);
    expect(readFileSync(join(cwd, '.git', 'config'), 'utf8')).not.toContain('pager');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('host\n');
  });

  it('is killed whole when it is silent for too long', async () => {
    const failure: unknown = await run(
      runOptions('(setsid sleep 301 &); sleep 300', { ...SANDBOX, timeouts: { idleMs: 1_000 } }),
    ).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'idle-timeout' });
  });
});
