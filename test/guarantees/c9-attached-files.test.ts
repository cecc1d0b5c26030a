/** Tests of C9: agents that commit all, and by force, beside an attached file. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES, type AgentRouteName } from './routes/agent-routes.ts';

const CONTENT = 'the attached specification';
/** Commits what it has read, so that each route shows it. */
const READ = `cp .truecast-attachments-*/1-spec.md seen.txt && git add -A && git commit -qm seen`;
const FORCE = `git add -f .truecast-attachments-* && git commit -qm forced && git rm -rq --cached .truecast-attachments-* && git commit -qm hidden`;

function fileOf(content: string): string {
  const path = join(temporaryFolder(), 'spec.md');
  writeFileSync(path, content);
  return path;
}

async function attach(route: AgentRouteName): Promise<void> {
  const path = fileOf(CONTENT);
  const attached = { options: { attachments: [path] }, args: ['--attach', path] };
  const strategy = 'merge-to-head';
  const repository = makeRepository();
  const read = await AGENT_ROUTES[route]({ repository, script: READ, strategy, ...attached });
  expect(read).toMatchObject({ isAccepted: true });
  const commit = route === 'batch' ? (read.branch ?? '') : 'main';
  expect(git(repository, 'show', `${commit}:seen.txt`)).toBe(CONTENT);
  expect(git(repository, 'log', '--all', '--name-only', '--format=')).not.toContain('spec.md');

  const other = makeRepository();
  const forced = await AGENT_ROUTES[route]({ repository: other, script: FORCE, strategy, ...attached });
  expect(forced.isAccepted).toBe(false);
  expect(forced.message).toContain('1-spec.md');
  expect(git(other, 'log', 'main', '--name-only', '--format=')).not.toContain('spec.md');
  for (const each of [repository, other]) {
    expect(readdirSync(each).filter((name) => name.startsWith('.truecast-attachments'))).toEqual([]);
  }
}

declareGuarantee('C9', {
  'run/none': () => attach('run/none'),
  'run/bubblewrap': () => attach('run/bubblewrap'),
  'run/podman': () => attach('run/podman'),
  kept: () => attach('kept'),
  batch: () => attach('batch'),
  command: () => attach('command'),
});
