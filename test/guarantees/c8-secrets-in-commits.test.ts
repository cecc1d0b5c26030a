/** Tests of C8: an agent that commits a declared secret. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, vi } from 'vitest';
import { merge } from '../../packages/truecast/src/run/merge/merge.ts';
import { git, makeRepository, temporaryFolder } from '../run/fixture.ts';
import { startGitServer } from '../git-server.ts';
import { declareGuarantee, inBubblewrap } from './guarantee.ts';
import { AGENT_ROUTES } from './routes/agent-routes.ts';
import { runAsJob } from './routes/job-route.ts';

const SECRET = 'correct-horse-battery-staple-9';
const ENV = { DEPLOY_TOKEN: SECRET };
const SCRIPT = `echo "token = '$DEPLOY_TOKEN'" > settings.js && git add settings.js && git commit -qm settings`;

async function mergeNoSecret(route: 'run/none' | 'run/bubblewrap' | 'run/podman' | 'kept'): Promise<void> {
  const repository = makeRepository();
  const outcome = await AGENT_ROUTES[route]({
    repository,
    script: SCRIPT,
    env: ENV,
    strategy: 'merge-to-head',
  });
  expect(git(repository, 'log', '-p', 'main')).not.toContain(SECRET);
  expect(outcome.isAccepted).toBe(false);
  expect(outcome.message).toContain('settings.js');
}

/** The command takes secrets from `.truecast/.env`. */
async function mergeNoSecretByCommand(): Promise<void> {
  const repository = makeRepository();
  writeFileSync(join(repository, '.git', 'info', 'exclude'), '.truecast\n');
  const folder = join(repository, '.truecast');
  mkdirSync(folder);
  writeFileSync(join(folder, '.env'), `DEPLOY_TOKEN=${SECRET}\n`, { mode: 0o600 });
  const outcome = await AGENT_ROUTES.command({ repository, script: SCRIPT, strategy: 'merge-to-head' });
  expect(git(repository, 'log', '-p', 'main')).not.toContain(SECRET);
  expect(outcome.isAccepted).toBe(false);
  expect(outcome.output).toContain('settings.js');
  expect(outcome.output).not.toContain(SECRET);
}

async function publishNoSecret(): Promise<void> {
  const origin = temporaryFolder();
  git(origin, 'init', '-q', '--bare');
  const repository = makeRepository();
  git(repository, 'remote', 'add', 'origin', origin);
  git(repository, 'push', '-q', 'origin', 'main');
  const programs = temporaryFolder();
  writeFileSync(join(programs, 'gh'), '#!/bin/sh\necho https://host.invalid/pull/1\n');
  chmodSync(join(programs, 'gh'), 0o755);
  vi.stubEnv('PATH', `${programs}${delimiter}${process.env['PATH']}`);
  const options = { publish: 'pull-request' } as const;
  const outcome = await AGENT_ROUTES.batch({ repository, script: SCRIPT, env: ENV, options });
  expect(git(origin, 'log', '--all', '-p')).not.toContain(SECRET);
  expect(outcome.isAccepted).toBe(false);
  expect(outcome.message).toContain('settings.js');
}

async function landNoSecret(): Promise<void> {
  const repository = makeRepository();
  await AGENT_ROUTES['run/none']({ repository, script: SCRIPT, env: ENV });
  await expect(merge('work', { cwd: repository, env: ENV })).rejects.toMatchObject({
    code: 'secret-in-commits',
    message: expect.stringContaining('settings.js') as unknown,
  });
  expect(git(repository, 'log', '-p', 'main')).not.toContain(SECRET);
}

/** A run in a clone is pushed. */
async function pushNoSecret(): Promise<void> {
  const { url, path: remote } = await startGitServer();
  const envFile = `DEPLOY_TOKEN=${SECRET}\n`;
  const outcome = await runAsJob({ repository: { url }, script: SCRIPT, envFile });
  expect(git(remote, 'log', '--all', '-p')).not.toContain(SECRET);
  expect(git(remote, 'branch', '--list', 'truecast/*')).toBe('');
  expect(outcome).toMatchObject({ isAccepted: false, code: 'push_rejected' });
  expect(outcome.message).toContain('settings.js');
  expect(outcome.output).not.toContain(SECRET);
}

declareGuarantee('C8', {
  'run/none': () => mergeNoSecret('run/none'),
  'run/bubblewrap': () => mergeNoSecret('run/bubblewrap'),
  'run/podman': () => mergeNoSecret('run/podman'),
  kept: () => mergeNoSecret('kept'),
  batch: publishNoSecret,
  merge: landNoSecret,
  runs: inBubblewrap(pushNoSecret),
  command: mergeNoSecretByCommand,
});
