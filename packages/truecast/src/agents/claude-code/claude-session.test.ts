import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import { createClaudeSessionStorage, transferClaudeSession } from './claude-session.ts';
import {
  claudeHostSessionPath,
  claudeSandboxSessionPath,
  encodeProjectPath,
  findClaudeSessionOnHost,
} from './claude-session-path.ts';
import { putFile, sandboxWithHome } from '../sessions/test-sandbox-home.ts';

const ID = '213b01b2-bdfb-4311-ae8c-278749623d07';
const SANDBOX_CWD = '/home/agent/work';

let root: string;
let hostCwd: string;
let hostProjects: string;

beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'truecast-session-')));
  hostCwd = join(root, 'my.app');
  hostProjects = join(root, 'host-projects');
  await mkdir(hostCwd);
});

afterEach(() => rm(root, { recursive: true }));

const line = (cwd: string, text: string): string =>
  JSON.stringify({ type: 'user', message: { content: text }, cwd, sessionId: ID });

function sandboxPath(home: string, name = `${ID}.jsonl`): string {
  return join(home, '.claude', 'projects', encodeProjectPath(SANDBOX_CWD), name);
}

test.each([
  ['/home/me/app', '-home-me-app'],
  ['/home/me/my.app/', '-home-me-my-app'],
  ['/a_b c/Ünï-Code/😀', '-a-b-c--n--Code---'],
  [String.raw`C:\work\app`, 'C--work-app'],
  ['/', '-'],
])('encodes %s as the CLI does', (cwd, expected) => {
  expect(encodeProjectPath(cwd)).toBe(expected);
});

test('cuts a long folder name at 200 and adds the hash that the CLI adds', () => {
  // Folder name that Claude Code 2.1.329 created for this path.
  const cwd = `/tmp/agents-cli/w/${'x'.repeat(90)}/${'y'.repeat(90)}/${'z'.repeat(60)}`;
  expect(encodeProjectPath(cwd)).toBe(`-tmp-agents-cli-w-${'x'.repeat(90)}-${'y'.repeat(90)}--5vcydd`);
});

test('rewrites cwd fields that name the directory or a folder in it, and nothing else', () => {
  const kept = [
    line('/elsewhere', 'x'),
    line('/from-other', 'x'),
    '{"type":"assistant","message":{"content":[{"input":{"cwd":"/from"}}]}}',
    'no JSON "/from"',
    '{"cwd":  "/from',
    '',
  ];
  const jsonl = [line('/from', 'in /from'), line('/from/sub', 'x'), ...kept].join('\n');
  const expected = [line('/to', 'in /from'), line('/to/sub', 'x'), ...kept].join('\n');
  expect(transferClaudeSession(jsonl, '/from', '/to')).toBe(expected);
  expect(transferClaudeSession(jsonl, '/from', '/from')).toBe(jsonl);
});

test('captures a session and its sub-agents to the host, with the directory of the host', async () => {
  const home = join(root, "ho'me");
  await putFile(sandboxPath(home), `${line(SANDBOX_CWD, 'one')}\n${line(SANDBOX_CWD, 'two')}\n`);
  await putFile(sandboxPath(home, `${ID}/subagents/agent-1.jsonl`), `${line(SANDBOX_CWD, 'sub')}\n`);
  const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
  const location = {
    hostCwd,
    sandboxCwd: SANDBOX_CWD,
    sessionId: ID,
    handle: sandboxWithHome(home, SANDBOX_CWD),
  };
  const path = await storage.captureToHost(location);
  expect(path).toBe(claudeHostSessionPath(hostCwd, ID, hostProjects));
  expect(await readFile(path, 'utf8')).toBe(`${line(hostCwd, 'one')}\n${line(hostCwd, 'two')}\n`);
  expect(await readFile(join(dirname(path), ID, 'subagents', 'agent-1.jsonl'), 'utf8')).toBe(
    `${line(hostCwd, 'sub')}\n`,
  );
  // No temporary file remains.
  expect((await readdir(dirname(path))).toSorted()).toEqual([ID, `${ID}.jsonl`].toSorted());
});

test('captures a session without the sub-agents that cannot be copied, and names them', async () => {
  const home = join(root, 'home');
  await putFile(sandboxPath(home), `${line(SANDBOX_CWD, 'one')}\n`);
  for (const name of ['agent-1', 'agent-2', 'agent-3']) {
    await putFile(sandboxPath(home, `${ID}/subagents/${name}.jsonl`), `${line(SANDBOX_CWD, name)}\n`);
  }
  await putFile(sandboxPath(home, `${ID}/subagents/empty.jsonl`), '');
  const inner = sandboxWithHome(home, SANDBOX_CWD);
  // It loses the end of one file.
  const handle: SandboxHandle = {
    ...inner,
    exec: (command, options) =>
      command.includes('agent-2.jsonl')
        ? inner.exec(command.replace(' && echo end-', ' && : '), options)
        : inner.exec(command, options),
  };
  const warnings: string[] = [];
  const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
  const location = { hostCwd, sandboxCwd: SANDBOX_CWD, sessionId: ID, handle };
  const path = await storage.captureToHost({ ...location, onWarning: (text) => warnings.push(text) });
  expect(await readFile(path, 'utf8')).toBe(`${line(hostCwd, 'one')}\n`);
  expect(await readdir(join(dirname(path), ID, 'subagents'))).toEqual(['agent-1.jsonl', 'agent-3.jsonl']);
  expect(warnings).toEqual([
    expect.stringMatching(/without 1 of 3 files of its sub-agents: `subagents\/agent-2\.jsonl`/u),
  ]);
});

test('resumes a session into another sandbox, with the directory of the sandbox', async () => {
  const source = claudeHostSessionPath(hostCwd, ID, hostProjects);
  await putFile(source, `${line(hostCwd, 'one')}\n`);
  await putFile(join(dirname(source), ID, 'subagents', 'agent-1.jsonl'), `${line(hostCwd, 'sub')}\n`);
  const home = join(root, 'home');
  const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
  await storage.resumeIntoSandbox({
    hostCwd,
    sandboxCwd: SANDBOX_CWD,
    sessionId: ID,
    handle: sandboxWithHome(home, SANDBOX_CWD),
  });
  expect(await readFile(sandboxPath(home), 'utf8')).toBe(`${line(SANDBOX_CWD, 'one')}\n`);
  expect(await readFile(sandboxPath(home, `${ID}/subagents/agent-1.jsonl`), 'utf8')).toBe(
    `${line(SANDBOX_CWD, 'sub')}\n`,
  );
});

test('resumes a session that was made in another directory of the host', async () => {
  await putFile(
    claudeHostSessionPath('/gone/worktree', ID, hostProjects),
    `{"type":"x"}\n${line('/gone/worktree', 'one')}\n`,
  );
  const home = join(root, 'home');
  const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
  await storage.resumeIntoSandbox({
    hostCwd,
    sandboxCwd: SANDBOX_CWD,
    sessionId: ID,
    handle: sandboxWithHome(home, SANDBOX_CWD),
  });
  expect(await readFile(sandboxPath(home), 'utf8')).toBe(`{"type":"x"}\n${line(SANDBOX_CWD, 'one')}\n`);
});

test("the agent's own configuration folder and the caller's win over HOME", async () => {
  await putFile(claudeHostSessionPath(hostCwd, ID, hostProjects), `${line(hostCwd, 'one')}\n`);
  const handle = sandboxWithHome(join(root, 'home'), SANDBOX_CWD);
  const location = { hostCwd, sandboxCwd: SANDBOX_CWD, sessionId: ID, handle };
  const configDir = join(root, 'config dir');
  const byEnv = createClaudeSessionStorage(
    { hostProjectsDir: hostProjects },
    { CLAUDE_CONFIG_DIR: configDir },
  );
  await byEnv.resumeIntoSandbox(location);
  expect(
    await readFile(claudeSandboxSessionPath(SANDBOX_CWD, ID, join(configDir, 'projects')), 'utf8'),
  ).toContain('one');
  const sandboxProjectsDir = join(root, 'given');
  await createClaudeSessionStorage(
    { hostProjectsDir: hostProjects, sandboxProjectsDir },
    {},
  ).resumeIntoSandbox(location);
  expect(await readFile(claudeSandboxSessionPath(SANDBOX_CWD, ID, sandboxProjectsDir), 'utf8')).toContain(
    'one',
  );
});

test('a session that is nowhere is a SandboxError, and leaves no file', async () => {
  const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
  const location = {
    hostCwd,
    sandboxCwd: SANDBOX_CWD,
    sessionId: ID,
    handle: sandboxWithHome(join(root, 'home'), SANDBOX_CWD),
  };
  await expect(storage.captureToHost(location)).rejects.toThrow(SandboxError);
  await expect(storage.resumeIntoSandbox(location)).rejects.toThrow(SandboxError);
  await expect(readdir(hostProjects)).rejects.toThrow(/ENOENT/);
});

test('a session that cannot be read keeps the one that the host has', async () => {
  const home = join(root, 'home');
  const target = claudeHostSessionPath(hostCwd, ID, hostProjects);
  await putFile(target, 'kept\n');
  await mkdir(dirname(sandboxPath(home)), { recursive: true });
  await symlink('/nonexistent', sandboxPath(home));
  const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
  const location = {
    hostCwd,
    sandboxCwd: SANDBOX_CWD,
    sessionId: ID,
    handle: sandboxWithHome(home, SANDBOX_CWD),
  };
  await expect(storage.captureToHost(location)).rejects.toThrow(SandboxError);
  expect(await readFile(target, 'utf8')).toBe('kept\n');
  expect(await readdir(dirname(target))).toEqual([`${ID}.jsonl`]);
});

test.each(['../../../etc/passwd', '-rf', 'a;b', ''])(
  'an agent cannot name %j as its session',
  async (sessionId) => {
    const storage = createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {});
    const location = {
      hostCwd,
      sandboxCwd: SANDBOX_CWD,
      sessionId,
      handle: sandboxWithHome(join(root, 'home'), SANDBOX_CWD),
    };
    await expect(storage.captureToHost(location)).rejects.toThrow(/session id/);
    expect(await findClaudeSessionOnHost(sessionId, hostProjects)).toEqual({
      path: undefined,
      searchedRoot: hostProjects,
    });
  },
);

test('finds a session by its id alone', async () => {
  const path = claudeHostSessionPath('/any/where', ID, hostProjects);
  await putFile(path, 'x');
  expect(await findClaudeSessionOnHost(ID, hostProjects)).toEqual({ path, searchedRoot: hostProjects });
  expect(
    (await createClaudeSessionStorage({ hostProjectsDir: hostProjects }, {}).findByIdOnHost(ID)).path,
  ).toBe(path);
});
