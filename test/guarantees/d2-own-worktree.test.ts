/** Tests of D2: a repository whose `core.worktree` would lead the agent's git to the user's checkout. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git, makeRepository } from '../run/fixture.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';

const SCRIPT = 'git reset -q --hard; git clean -fdq; git checkout -q -- . ; true';

async function leaveCheckoutAlone(route: AgentRouteName): Promise<void> {
  const repository = makeRepository();
  git(repository, 'config', 'core.worktree', repository);
  git(repository, 'config', 'extensions.worktreeConfig', 'true');
  writeFileSync(join(repository, 'a.txt'), 'unsaved\n');
  writeFileSync(join(repository, 'notes.txt'), 'mine\n');
  await AGENT_ROUTES[route]({ repository, script: SCRIPT });
  expect(readFileSync(join(repository, 'a.txt'), 'utf8')).toBe('unsaved\n');
  expect(existsSync(join(repository, 'notes.txt'))).toBe(true);
}

declareGuarantee('D2', {
  'run/none': () => leaveCheckoutAlone('run/none'),
  'run/bubblewrap': () => leaveCheckoutAlone('run/bubblewrap'),
  'run/podman': () => leaveCheckoutAlone('run/podman'),
  kept: () => leaveCheckoutAlone('kept'),
  batch: () => leaveCheckoutAlone('batch'),
  chat: () => leaveCheckoutAlone('chat'),
  wire: () => leaveCheckoutAlone('wire'),
  runs: inBubblewrap(() => leaveCheckoutAlone('runs')),
  command: () => leaveCheckoutAlone('command'),
});
