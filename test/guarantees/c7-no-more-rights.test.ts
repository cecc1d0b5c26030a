/** Tests of C7: an agent that leaves a setuid file in a worktree that is kept. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git, makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName, type SandboxName } from './routes/agent-routes.ts';

/** The file is not committed, so the worktree is kept. */
const SCRIPT =
  'cp /bin/sh tool; chmod 6755 tool; mkdir deep; cp /bin/sh deep/tool; chmod 4755 deep/tool; true';
const SETUID_SETGID = 0o6000;

async function leaveNoSetuid(route: AgentRouteName, sandbox: SandboxName): Promise<void> {
  const repository = makeRepository();
  await AGENT_ROUTES[route]({ repository, script: SCRIPT, sandbox });
  const worktrees = git(repository, 'worktree', 'list', '--porcelain')
    .split('\n')
    .filter((line) => line.startsWith('worktree '))
    .map((line) => line.slice('worktree '.length))
    .filter((path) => path !== repository);
  // Otherwise nothing was left, and the test would prove nothing.
  expect(worktrees).toHaveLength(1);
  const files = worktrees.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
  );
  expect(files.some((file) => file.endsWith('deep'))).toBe(true);
  expect(files.filter((file) => (lstatSync(file).mode & SETUID_SETGID) !== 0)).toEqual([]);
}

declareGuarantee('C7', {
  'run/bubblewrap': () => leaveNoSetuid('run/bubblewrap', 'bubblewrap'),
  'run/podman': () => leaveNoSetuid('run/podman', 'podman'),
  kept: inBubblewrap(() => leaveNoSetuid('kept', 'bubblewrap')),
  batch: inBubblewrap(() => leaveNoSetuid('batch', 'bubblewrap')),
  chat: inBubblewrap(() => leaveNoSetuid('chat', 'bubblewrap')),
  wire: inBubblewrap(() => leaveNoSetuid('wire', 'bubblewrap')),
  runs: inBubblewrap(() => leaveNoSetuid('runs', 'bubblewrap')),
  command: inBubblewrap(() => leaveNoSetuid('command', 'bubblewrap')),
});
