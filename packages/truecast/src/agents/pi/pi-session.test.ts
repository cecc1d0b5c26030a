import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { createPiSessionStorage, encodePiDirectory } from './pi-session.ts';
import { putFile, sandboxWithHome } from '../sessions/test-sandbox-home.ts';

const ID = '01a1fd5b-5b2b-7390-9643-ba5f4a60660b';
const NAME = `2026-11-21T09-06-25-197Z_${ID}.jsonl`;
const SANDBOX_CWD = "/home/agent/it's work";

let root: string;
let hostCwd: string;
let hostSessions: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'truecast-pi-session-')));
  hostCwd = join(root, 'my.app');
  hostSessions = join(root, 'host-sessions');
  await mkdir(hostCwd);
});

afterEach(() => rm(root, { recursive: true }));

const said = (cwd: string): string => `${JSON.stringify({ type: 'message', cwd, text: cwd })}\n`;
const session = (cwd: string): string => `${JSON.stringify({ type: 'session', id: ID, cwd })}\n`;
const hostPath = (cwd: string): string => join(hostSessions, encodePiDirectory(cwd), NAME);
const location = (home: string) => ({
  hostCwd,
  sandboxCwd: SANDBOX_CWD,
  sessionId: ID,
  handle: sandboxWithHome(home, SANDBOX_CWD),
});

test.each([
  ['/home/me/my.app', '--home-me-my.app--'],
  ['/', '----'],
  [String.raw`C:\work\app`, '--C--work-app--'],
])('encodes %s as the CLI does', (cwd, expected) => {
  expect(encodePiDirectory(cwd)).toBe(expected);
});

test('captures a session to the host, with the directory of the host in its first line alone', async () => {
  const home = join(root, "ho'me");
  const text = session(SANDBOX_CWD) + said(SANDBOX_CWD);
  await putFile(join(home, '.pi/agent/sessions', encodePiDirectory(SANDBOX_CWD), NAME), text);
  const storage = createPiSessionStorage({ hostSessionsDir: hostSessions }, {});
  const path = await storage.captureToHost(location(home));

  expect(path).toBe(hostPath(hostCwd));
  expect(await readFile(path, 'utf8')).toBe(session(hostCwd) + said(SANDBOX_CWD));
  expect(await readdir(dirname(path))).toEqual([NAME]);
  expect((await storage.findByIdOnHost(ID)).path).toBe(path);
});

test.each([
  ['its home', {}, '.pi/agent/sessions'],
  ['the folder that the agent is told', { PI_CODING_AGENT_DIR: 'told' }, 'told/sessions'],
])('resumes a session of another directory into %s', async (_case, env, folder) => {
  await putFile(hostPath('/gone/worktree'), session('/gone/worktree') + said('/gone/worktree'));
  const home = join(root, 'home');
  const absolute = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, join(home, path)]));
  await createPiSessionStorage({ hostSessionsDir: hostSessions }, absolute).resumeIntoSandbox(location(home));

  const path = join(home, folder, encodePiDirectory(SANDBOX_CWD), NAME);
  expect(await readFile(path, 'utf8')).toBe(session(SANDBOX_CWD) + said('/gone/worktree'));
});

test('a folder for all sessions has no folders in it', async () => {
  await putFile(hostPath(hostCwd), session(hostCwd));
  const home = join(root, 'home');
  const env = { PI_CODING_AGENT_SESSION_DIR: join(root, 'all') };
  const storage = createPiSessionStorage({ hostSessionsDir: hostSessions }, env);
  await storage.resumeIntoSandbox(location(home));
  expect(await readFile(join(root, 'all', NAME), 'utf8')).toBe(session(SANDBOX_CWD));
  await rm(hostSessions, { recursive: true });
  expect(await storage.captureToHost(location(home))).toBe(hostPath(hostCwd));
});

test('of several copies the one of this directory is resumed', async () => {
  await putFile(hostPath(hostCwd), session(hostCwd) + said('here'));
  await putFile(hostPath('/elsewhere'), session('/elsewhere') + said('there'));
  const home = join(root, 'home');
  await createPiSessionStorage({ hostSessionsDir: hostSessions }, {}).resumeIntoSandbox(location(home));

  const path = join(home, '.pi/agent/sessions', encodePiDirectory(SANDBOX_CWD), NAME);
  expect(await readFile(path, 'utf8')).toContain('here');
});

test('a session that is nowhere is a SandboxError, and leaves no file', async () => {
  const storage = createPiSessionStorage({ hostSessionsDir: hostSessions }, {});
  await expect(storage.captureToHost(location(join(root, 'home')))).rejects.toThrow(SandboxError);
  await expect(storage.resumeIntoSandbox(location(join(root, 'home')))).rejects.toThrow(SandboxError);
  await expect(readdir(hostSessions)).rejects.toThrow(/ENOENT/u);
});

test('a file whose name is not of the CLI is no session', async () => {
  const home = join(root, 'home');
  await putFile(join(home, '.pi/agent/sessions', 'x', `evil_${ID}.jsonl`), session(SANDBOX_CWD));
  const storage = createPiSessionStorage({ hostSessionsDir: hostSessions }, {});
  await expect(storage.captureToHost(location(home))).rejects.toThrow(SandboxError);
});
