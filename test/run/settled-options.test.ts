/** Options that an open sandbox or worktree has determined: each is refused by name, and starts nothing. */
import { expect, it } from 'vitest';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { createSandbox } from '../../packages/truecast/src/run/create-sandbox.ts';
import { createWorktree } from '../../packages/truecast/src/run/create-worktree.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { makeRepository } from './fixture.ts';

/** Counts its starts. */
function countingAgent(): AgentProvider & { readonly starts: number } {
  const agent = command({ command: ['true'] });
  let starts = 0;
  return {
    ...agent,
    get starts() {
      return starts;
    },
    buildPrintCommand(...asked: Parameters<AgentProvider['buildPrintCommand']>) {
      starts += 1;
      return agent.buildPrintCommand(...asked);
    },
  };
}

const SETTLED = {
  cwd: '/',
  branchStrategy: { type: 'head' },
  copyToWorktree: ['.env'],
  timeouts: { gitSetupMs: 1 },
  sandbox: noSandbox(),
  hooks: { host: { onWorktreeReady: [] } },
} as const;

it.each(Object.entries(SETTLED))('`sandbox.run()` refuses `%s`', async (name, value) => {
  const agent = countingAgent();
  await using sandbox = await createSandbox({
    cwd: makeRepository(),
    branch: 'work',
    sandbox: noSandbox(),
  });
  // As an untyped caller passes it.
  const options = { agent, prompt: 'x', [name]: value };
  const place = name === 'branchStrategy' ? '`branch`' : 'it';
  const shown = name === 'timeouts' ? 'timeouts.gitSetupMs' : name;
  await expect(sandbox.run(options)).rejects.toMatchObject({
    code: 'invalid-option',
    message: `Expected no \`${shown}\` for \`sandbox.run()\`, which the call of \`createSandbox()\` has determined. Set ${place} in \`createSandbox()\`, and remove it here.`,
  });
  expect(agent.starts).toBe(0);
  await sandbox.run({ ...options, [name]: undefined });
  expect(agent.starts).toBe(1);
});

const { sandbox: _sandbox, hooks: _hooks, ...SETTLED_BY_WORKTREE } = SETTLED;

it.each(Object.entries(SETTLED_BY_WORKTREE))('`worktree.run()` refuses `%s`', async (name, value) => {
  const agent = countingAgent();
  await using worktree = await createWorktree({
    cwd: makeRepository(),
    branchStrategy: { type: 'branch', branch: 'work' },
  });
  const options = { agent, sandbox: noSandbox(), hooks: SETTLED.hooks, prompt: 'x', [name]: value };
  await expect(worktree.run(options)).rejects.toMatchObject({
    code: 'invalid-option',
    message: expect.stringMatching(
      new RegExp(`^Expected no \`${name}[.\\w]*\` for \`worktree.run\\(\\)\``, 'u'),
    ),
  });
  expect(agent.starts).toBe(0);
  await worktree.run({ ...options, [name]: undefined });
  expect(agent.starts).toBe(1);
});
