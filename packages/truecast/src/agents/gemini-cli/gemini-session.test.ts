import { mkdir, mkdtemp, readdir, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { createGeminiSessionStorage, newGeminiProject } from './gemini-session.ts';
import { sandboxWithHome } from '../sessions/test-sandbox-home.ts';

const ID = '6bc803d4-9e39-4a60-a0f1-cecb1789f455';
const NAME = 'session-2026-11-21T09-48-6bc803d4.jsonl';
const SANDBOX_CWD = "/home/agent/it's work";
const SESSION = `{"sessionId":"${ID}","kind":"main"}\n{"type":"user"}\n`;

let root: string;
let home: string;
let hostCwd: string;
let hostProjects: string;
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'truecast-gemini-session-')));
  home = join(root, "ho'me");
  hostCwd = join(root, 'my.app');
  hostProjects = join(root, 'host-projects');
  await mkdir(hostCwd);
});
afterEach(() => rm(root, { recursive: true }));

const location = () => ({
  hostCwd,
  sandboxCwd: SANDBOX_CWD,
  sessionId: ID,
  handle: sandboxWithHome(home, SANDBOX_CWD),
});
const storage = (env: Readonly<Record<string, string>> = {}) =>
  createGeminiSessionStorage({ hostProjectsDir: hostProjects }, env);

async function putProject(folder: string, cwd: string, sessions: Readonly<Record<string, string>> = {}) {
  await mkdir(join(folder, 'chats'), { recursive: true });
  await writeFile(join(folder, '.project_root'), cwd);
  for (const [name, text] of Object.entries(sessions)) await writeFile(join(folder, 'chats', name), text);
}

test("captures a session into the host's own project, byte for byte", async () => {
  await putProject(join(home, '.gemini/tmp/it-s-work'), SANDBOX_CWD, { [NAME]: SESSION });
  await putProject(join(hostProjects, 'my-app'), hostCwd);
  const path = await storage().captureToHost(location());

  expect(path).toBe(join(hostProjects, 'my-app/chats', NAME));
  expect(await readFile(path, 'utf8')).toBe(SESSION);
  expect(await readdir(dirname(path))).toEqual([NAME]);
  expect((await storage().findByIdOnHost(ID)).path).toBe(path);
});

test('creates a project that the CLI finds if there is none', async () => {
  await putProject(join(home, '.gemini/tmp/x'), SANDBOX_CWD, { [NAME]: SESSION });
  const path = await storage().captureToHost(location());

  expect(path).toBe(join(hostProjects, newGeminiProject(hostCwd), 'chats', NAME));
  expect(await readFile(join(path, '../../.project_root'), 'utf8')).toBe(hostCwd);
  expect(await storage().captureToHost(location())).toBe(path);
});

test.each([
  ['its home', {}, '.gemini/tmp'],
  ['the home that the agent is told', { GEMINI_CLI_HOME: 'told' }, 'told/.gemini/tmp'],
])('resumes a session of another directory into %s', async (_case, env, folder) => {
  await putProject(join(hostProjects, 'gone'), '/gone/worktree', { [NAME]: SESSION });
  const absolute = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, join(home, path)]));
  await storage(absolute).resumeIntoSandbox(location());

  const project = join(home, folder, newGeminiProject(SANDBOX_CWD));
  expect(await readFile(join(project, 'chats', NAME), 'utf8')).toBe(SESSION);
  expect(await readFile(join(project, '.project_root'), 'utf8')).toBe(SANDBOX_CWD);
});

test('resumes into the project that the sandbox has already', async () => {
  await putProject(join(home, '.gemini/tmp/it-s-work'), SANDBOX_CWD);
  await putProject(join(hostProjects, 'gone'), '/gone/worktree', { [NAME]: SESSION });
  await storage().resumeIntoSandbox(location());

  expect(await readFile(join(home, '.gemini/tmp/it-s-work/chats', NAME), 'utf8')).toBe(SESSION);
  expect(await readdir(join(home, '.gemini/tmp'))).toEqual(['it-s-work']);
});

test('of several copies the one of this directory is resumed', async () => {
  await putProject(join(hostProjects, 'my-app'), hostCwd, { [NAME]: `${SESSION}here\n` });
  // Prevents equal timestamps from deciding the result.
  await utimes(join(hostProjects, 'my-app/chats', NAME), 1, 1);
  await putProject(join(hostProjects, 'other'), '/other', { [NAME]: `${SESSION}there\n` });
  await storage().resumeIntoSandbox(location());

  const path = join(home, '.gemini/tmp', newGeminiProject(SANDBOX_CWD), 'chats', NAME);
  expect(await readFile(path, 'utf8')).toBe(`${SESSION}here\n`);
});

test('a session whose id begins alike is another', async () => {
  const other = { [NAME]: SESSION.replace('9e39', '0000') };
  await putProject(join(home, '.gemini/tmp/x'), SANDBOX_CWD, other);
  await putProject(join(hostProjects, 'x'), hostCwd, other);

  await expect(storage().captureToHost(location())).rejects.toThrow(SandboxError);
  await expect(storage().resumeIntoSandbox(location())).rejects.toThrow(SandboxError);
  expect((await storage().findByIdOnHost(ID)).path).toBeUndefined();
});
