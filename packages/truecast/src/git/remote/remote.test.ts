/** Tests of clones and pushes of an address, with a real git server on this machine. */
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { startGitServer, type GitServer } from '../../../../../test/git-server.ts';
import { git, temporaryFolder } from '../../../../../test/run/fixture.ts';
import { pushBranch } from './push-branch.ts';
import { openClone, updateClone, type RemoteClone } from './remote-clone.ts';
import { fetchPushedBranch, prepareBranch } from './run-branch.ts';

vi.setConfig({ testTimeout: 60_000 });

const PASSWORD = 'correct-horse-4711';
const WHO = ['-c', 'user.name=A', '-c', 'user.email=a@example.invalid'];
const call = { timeoutMs: 20_000 };

async function clone(server: GitServer, password?: string): Promise<RemoteClone> {
  return openClone(join(temporaryFolder(), 'clone'), { url: server.url, password });
}

/** Commits to a branch of the clone, as a run does. Returns the commit. */
function work({ path }: RemoteClone, branch: string, subject: string, parent = branch): string {
  const env = { ...process.env, GIT_AUTHOR_NAME: 'A', GIT_COMMITTER_NAME: 'A', EMAIL: 'a@example.invalid' };
  const args = ['commit-tree', '-p', parent, '-m', subject, `${parent}^{tree}`];
  const sha = execFileSync('git', args, { cwd: path, env, encoding: 'utf8' }).trim();
  git(path, 'update-ref', `refs/heads/${branch}`, sha);
  return sha;
}

const update = (made: RemoteClone): Promise<void> => updateClone(made, { ...call, notBefore: Date.now() });
const start = (made: RemoteClone): string => git(made.path, 'rev-parse', 'HEAD');

it('sends the password to the address alone, and keeps it in no file', async () => {
  const server = await startGitServer(PASSWORD);
  const made = await clone(server, PASSWORD);
  await update(made);
  expect(start(made)).toBe(git(server.path, 'rev-parse', 'main'));
  expect(server.authorizations.at(-1)).toContain('Basic ');
  expect(readFileSync(join(made.commonDir, 'config'), 'utf8')).not.toContain('127.0.0.1');
  expect(git(made.path, 'remote')).toBe('');
  const found = spawnSync('grep', ['-r', PASSWORD, made.path]);
  expect([found.status, found.stdout.toString()]).toEqual([1, '']);

  const other = await startGitServer(PASSWORD);
  server.mode = { redirectTo: new URL(other.url).origin };
  await expect(update(made)).rejects.toMatchObject({ code: 'git-failed' });
  expect(new Set(other.authorizations)).toEqual(new Set([undefined]));
});

it('masks the password and leaves the address out of an error', async () => {
  const server = await startGitServer('another-password');
  const made = await clone(server, PASSWORD);
  const said = await update(made).catch((error: unknown) => error);
  expect(said).toMatchObject({ code: 'git-failed', message: expect.stringContaining("for 'the address") });
  expect(JSON.stringify(said)).not.toContain(PASSWORD);
  expect(JSON.stringify(said)).not.toContain(server.url);
});

it('reaches no other kind of address', async () => {
  const server = await startGitServer();
  for (const url of [server.path, `file://${server.path}`, `ext::cat ${server.path}`]) {
    const made = await openClone(join(temporaryFolder(), 'clone'), { url });
    await expect(update(made)).rejects.toMatchObject({ stderrTail: expect.stringMatching(/not allowed/u) });
  }
});

it('fetches over ssh', async () => {
  const server = await startGitServer();
  vi.stubEnv('GIT_SSH_COMMAND', `sh -c 'for last; do :; done; eval "$last"' ssh`);
  vi.stubEnv('GIT_SSH_VARIANT', 'simple');
  const made = await openClone(join(temporaryFolder(), 'clone'), { url: `ssh://127.0.0.1${server.path}` });
  await update(made);
  expect(start(made)).toBe(git(server.path, 'rev-parse', 'main'));
});

it('fetches once in ten seconds, and again for a missing ref', async () => {
  const server = await startGitServer();
  const made = await clone(server);
  await prepareBranch(made, { id: 'a', branch: 'x' }, call);
  const fetches = server.requests.length;
  await expect(prepareBranch(made, { id: 'b', branch: 'x' }, call)).resolves.toBe(undefined);
  expect(server.requests).toHaveLength(fetches);
  const sha = server.commit('new', 'pushed a moment ago');
  const base = await prepareBranch(made, { id: 'c', branch: 'x', ref: 'new' }, call);
  expect(git(made.path, 'rev-parse', base ?? '')).toBe(sha);
  expect(server.requests.length).toBeGreaterThan(fetches);
  const missing = prepareBranch(made, { id: 'd', branch: 'x', ref: 'missing' }, call);
  await expect(missing).rejects.toMatchObject({ code: 'invalid-branch' });
});

it('continues a branch of the remote, and refuses one that has diverged', async () => {
  const server = await startGitServer();
  const [first, second] = [server.commit('fix', 'one'), server.commit('fix', 'two')];
  const made = await clone(server);
  await prepareBranch(made, { id: 'a', branch: 'fix' }, call);
  expect(git(made.path, 'rev-parse', 'refs/heads/fix')).toBe(second);
  git(made.path, 'update-ref', 'refs/heads/fix', first);
  await prepareBranch(made, { id: 'b', branch: 'fix' }, call);
  expect(git(made.path, 'rev-parse', 'refs/heads/fix')).toBe(second);
  const unpushed = work(made, 'fix', 'unpushed');
  await prepareBranch(made, { id: 'c', branch: 'fix' }, call);
  expect(git(made.path, 'rev-parse', 'refs/heads/fix')).toBe(unpushed);
  server.commit('fix', 'three');
  await update(made);
  const diverged = prepareBranch(made, { id: 'd', branch: 'fix' }, call);
  await expect(diverged).rejects.toThrow('Merge them in');
  expect(git(made.path, 'rev-parse', 'refs/heads/fix')).toBe(unpushed);
});

it('pushes commits that only this run has pushed before, and overwrites no others', async () => {
  const server = await startGitServer();
  const made = await clone(server);
  await update(made);
  const base = start(made);
  const first = work(made, 'fix', 'one', base);
  const push = (tip: string, pushed?: string) => pushBranch(made, { branch: 'fix', tip, base, pushed }, call);
  expect(await push(first)).toEqual({ status: 'pushed' });
  // A worker was killed between its push and the note of it.
  git(made.path, 'update-ref', '-d', 'refs/remotes/origin/fix');
  const second = work(made, 'fix', 'two');
  expect(await push(second)).toEqual({ status: 'pushed' });
  expect(server.subjects('fix')).toEqual(['one', 'two']);
  const amended = work(made, 'fix', 'amended', first);
  expect(await push(amended, second)).toEqual({ status: 'pushed' });
  expect(server.subjects('fix')).toEqual(['one', 'amended']);

  server.commit('fix', 'of another');
  const third = work(made, 'fix', 'three');
  expect(await push(third, amended)).toMatchObject({ status: 'rejected', reason: 'branch_moved' });
  await update(made);
  expect(await push(third)).toMatchObject({ status: 'rejected', reason: 'branch_moved' });
  expect(server.subjects('fix')).toEqual(['one', 'amended', 'of another']);
  const root = git(made.path, ...WHO, 'commit-tree', '-m', 'root', `${base}^{tree}`);
  expect(await push(root)).toMatchObject({ status: 'rejected', reason: 'history_rewritten' });
});

it('creates no branch that the remote got in between', async () => {
  const server = await startGitServer();
  const made = await clone(server);
  await update(made);
  const base = start(made);
  server.commit('fix', 'of another');
  const push = { branch: 'fix', tip: work(made, 'fix', 'one', base), base };
  expect(await pushBranch(made, push, call)).toMatchObject({ status: 'rejected', reason: 'branch_moved' });
  expect(server.subjects('fix')).toEqual(['of another']);
});

it('names a remote that refuses, is gone, or hangs', async () => {
  const server = await startGitServer();
  const made = await clone(server);
  await update(made);
  const base = start(made);
  const push = { branch: 'fix', tip: work(made, 'fix', 'one', base), base };
  server.refuse('No pushes on Sundays.');
  expect(await pushBranch(made, push, call)).toEqual({
    status: 'rejected',
    reason: 'refused_by_remote',
    detail: expect.stringContaining('No pushes on Sundays.'),
  });
  server.mode = 'gone';
  expect(await pushBranch(made, push, call)).toMatchObject({ status: 'failed', reason: 'push_failed' });
  server.mode = 'hangs';
  const patience = { timeoutMs: 1_000 };
  expect(await pushBranch(made, push, patience)).toMatchObject({ status: 'failed', reason: 'timeout' });
});

it('refuses the push of a machine whose run continues on another one', async () => {
  const server = await startGitServer();
  const [stale, next] = [await clone(server), await clone(server)];
  await update(stale);
  const base = start(stale);
  const pushed = work(stale, 'fix', 'one', base);
  await pushBranch(stale, { branch: 'fix', tip: pushed, base }, call);

  expect(await fetchPushedBranch(next, { branch: 'fix', sha: pushed }, call)).toBe(pushed);
  const continued = { branch: 'fix', tip: work(next, 'fix', 'two'), base, pushed };
  expect(await pushBranch(next, continued, call)).toEqual({ status: 'pushed' });

  const late = { branch: 'fix', tip: work(stale, 'fix', 'late'), base, pushed };
  expect(await pushBranch(stale, late, call)).toMatchObject({ status: 'rejected', reason: 'branch_moved' });
  expect(server.subjects('fix')).toEqual(['one', 'two']);
  const unknown = fetchPushedBranch(next, { branch: 'fix', sha: late.tip }, call);
  await expect(unknown).rejects.toMatchObject({ code: 'invalid-branch' });
});
