/** Tests of C5: an agent that changes files which Truecast itself executes or takes settings from. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { git, makeRepository } from '../run/fixture.ts';
import { declareGuarantee } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';

const CONFIG = 'truecast.config.ts';
const MODELS = 'ensembles/models.yaml';
const ADD = `mkdir -p ensembles && echo 'export default {};' > ${CONFIG} && echo 'endpoints: {}' > ${MODELS}`;

async function name(route: 'run/none' | 'kept' | 'batch' | 'command'): Promise<void> {
  const { sensitive } = await AGENT_ROUTES[route]({
    repository: makeRepository(),
    script: `${ADD} && git add -A && git commit -qm settings`,
    strategy: 'merge-to-head',
  });
  expect(sensitive).toContain(CONFIG);
  expect(sensitive.some((path) => MODELS.startsWith(path.replace(/\/$/u, '')))).toBe(true);
}

async function protect(route: 'run/bubblewrap' | 'run/podman'): Promise<void> {
  const repository = makeRepository();
  mkdirSync(join(repository, 'ensembles'));
  for (const file of [CONFIG, MODELS]) writeFileSync(join(repository, file), 'mine\n');
  git(repository, 'add', '-A');
  git(repository, 'commit', '-q', '-m', 'settings');
  await AGENT_ROUTES[route]({ repository, script: `${ADD}; true`, strategy: 'head' });
  for (const file of [CONFIG, MODELS]) expect(readFileSync(join(repository, file), 'utf8')).toBe('mine\n');
}

async function nameMerged(): Promise<void> {
  const repository = makeRepository();
  await AGENT_ROUTES['run/none']({ repository, script: `${ADD} && git add -A && git commit -qm settings` });
  const { sensitiveChanges } = await merge('work', { cwd: repository });
  expect(sensitiveChanges.map(({ path }) => path)).toContain(CONFIG);
}

declareGuarantee('C5', {
  'run/none': () => name('run/none'),
  'run/bubblewrap': () => protect('run/bubblewrap'),
  'run/podman': () => protect('run/podman'),
  kept: () => name('kept'),
  batch: () => name('batch'),
  merge: nameMerged,
  command: () => name('command'),
});
