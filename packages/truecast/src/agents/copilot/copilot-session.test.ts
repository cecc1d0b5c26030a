import { mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { createCopilotSessionStorage } from './copilot-session.ts';
import { putFile, sandboxWithHome } from '../sessions/test-sandbox-home.ts';

const ID = '03c763af-61e3-4521-aa11-b6b24713a547';
const SANDBOX_CWD = "/home/agent/it's work";

let root: string;
let hostCwd: string;
let hostSessionsDir: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'truecast-copilot-session-')));
  hostCwd = join(root, 'work');
  hostSessionsDir = join(root, 'host-sessions');
});

afterEach(() => rm(root, { recursive: true }));

const events = (cwd: string, toolCwd: string): string =>
  [
    { type: 'session.start', data: { context: { cwd, gitRoot: cwd, branch: 'main' } } },
    { type: 'tool.execution_complete', data: { result: { content: toolCwd } } },
    { type: 'session.resume', data: { context: { cwd: '/elsewhere' } } },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
const location = (home: string) => ({
  hostCwd,
  sandboxCwd: SANDBOX_CWD,
  sessionId: ID,
  handle: sandboxWithHome(home, SANDBOX_CWD),
});

test.each([
  ['its home', {}, '.copilot'],
  ['the folder that the agent is told', { COPILOT_HOME: 'told' }, 'told'],
])('a session travels from %s to the host and back, with its directory', async (_case, env, folder) => {
  const home = join(root, "ho'me");
  const absolute = Object.fromEntries(Object.entries(env).map(([name, path]) => [name, join(home, path)]));
  const inside = join(home, folder, 'session-state', ID, 'events.jsonl');
  const storage = createCopilotSessionStorage({ hostSessionsDir }, absolute);
  await putFile(inside, events(SANDBOX_CWD, SANDBOX_CWD));

  const path = await storage.captureToHost(location(home));
  expect(path).toBe(join(hostSessionsDir, ID, 'events.jsonl'));
  expect(await readFile(path, 'utf8')).toBe(events(hostCwd, SANDBOX_CWD));
  expect(await readdir(dirname(path))).toEqual(['events.jsonl']);
  expect((await storage.findByIdOnHost(ID)).path).toBe(path);

  await rm(home, { recursive: true });
  await storage.resumeIntoSandbox(location(home));
  expect(await readFile(inside, 'utf8')).toBe(events(SANDBOX_CWD, SANDBOX_CWD));
});

test('a session that is nowhere is a SandboxError, and leaves no file', async () => {
  const storage = createCopilotSessionStorage({ hostSessionsDir }, {});
  await expect(storage.captureToHost(location(join(root, 'home')))).rejects.toThrow(SandboxError);
  await expect(storage.resumeIntoSandbox(location(join(root, 'home')))).rejects.toThrow(SandboxError);
  expect((await storage.findByIdOnHost('../x')).path).toBeUndefined();
  await expect(readdir(hostSessionsDir)).rejects.toThrow(/ENOENT/u);
});
