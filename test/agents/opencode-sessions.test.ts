/**
 * Tests of OpenCode's session storage with the real CLI: an exported session is imported
 * completely, bound to another directory.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SandboxError } from '../../packages/core/src/errors/sandbox-error.ts';
import type { SandboxHandle } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { createOpencodeSessionStorage } from '../../packages/truecast/src/agents/opencode/opencode-session.ts';
import { FORM } from '../matrix.ts';
import {
  CLI_BIN_DIRS,
  describeRealCli,
  makeWorkplace,
  OPENCODE_OFFLINE,
  quickStart,
  type Workplace,
} from './real-cli.ts';

vi.setConfig({ testTimeout: 240_000 });

const ID = 'ses_e0296870fffeuPgAFxydg92Q1p';

/** More than a pipe's buffer. */
const LONG_TEXT = 'x"\n'.repeat(200_000);

/** A session as the CLI exports it, with one long message. */
function exported(directory: string): string {
  const model = { providerID: 'local', modelID: 'scripted' };
  const time = { created: 1_795_251_987_788, updated: 1_795_251_992_335 };
  const messageId = 'msg_1fd5b65f9001Ea7VM72HYBL7Mi';
  return JSON.stringify({
    info: {
      id: ID,
      slug: 'curious-knight',
      projectID: 'global',
      directory,
      title: 't',
      version: '1.18.33',
      time,
    },
    messages: [
      {
        info: { id: messageId, sessionID: ID, role: 'user', time, agent: 'build', model },
        parts: [
          {
            id: 'prt_1fd5b7315001ylxLRXZ3MciIxz',
            messageID: messageId,
            sessionID: ID,
            type: 'text',
            text: LONG_TEXT,
          },
        ],
      },
    ],
  });
}

describeRealCli('opencode', 'sessions of the real OpenCode', () => {
  let work: Workplace;
  let hostSessionsDir: string;

  beforeEach(async () => {
    work = await makeWorkplace({ 'a.txt': 'a\n' });
    hostSessionsDir = join(work.root, 'host sessions');
    await mkdir(hostSessionsDir);
  });
  afterEach(() => work[Symbol.asyncDispose]());

  /** A sandbox with its own home: real commands, real files. */
  function handleIn(home: string): SandboxHandle {
    return {
      worktreePath: work.repo,
      homePath: home,
      async exec(command, { stdin = '', onLine } = {}) {
        const PATH = `${CLI_BIN_DIRS}${delimiter}${process.env['PATH'] ?? ''}`;
        const env = { ...quickStart().env, ...OPENCODE_OFFLINE, PATH };
        const result = await execa('sh', ['-c', command], {
          input: stdin,
          reject: false,
          cwd: work.repo,
          env,
          extendEnv: false,
        });
        if (onLine !== undefined && result.stdout !== '') result.stdout.split('\n').forEach(onLine);
        return { stdout: result.stdout, stderr: result.stderr, exitCode: result.exitCode ?? 1 };
      },
      close: async () => undefined,
    };
  }

  it('come back whole from a sandbox, however long, and belong to its directory', async () => {
    const storage = createOpencodeSessionStorage({ hostSessionsDir }, {});
    const location = {
      hostCwd: work.repo,
      sandboxCwd: work.repo,
      sessionId: ID,
      handle: handleIn(work.home),
    };
    const path = join(hostSessionsDir, `${ID}.json`);
    await writeFile(path, exported('/gone/worktree'));
    await storage.resumeIntoSandbox(location);
    await writeFile(path, 'old');

    expect(await storage.captureToHost(location)).toBe(path);
    const session = JSON.parse(await readFile(path, 'utf8'));
    expect(session.info.directory).toBe(work.repo);
    expect(session.messages[0].parts[0].text).toBe(LONG_TEXT);
    expect(await readdir(hostSessionsDir)).toEqual([`${ID}.json`]);
    expect((await storage.findByIdOnHost(ID)).path).toBe(path);
  });

  it('that are nowhere are a SandboxError, and leave no file', async () => {
    const storage = createOpencodeSessionStorage({ hostSessionsDir }, {});
    const location = {
      hostCwd: work.repo,
      sandboxCwd: work.repo,
      sessionId: ID,
      handle: handleIn(work.home),
    };
    await expect(storage.resumeIntoSandbox(location)).rejects.toThrow(SandboxError);
    // The start takes 2 s. In the short form, other CLIs fail to copy a session that is nowhere.
    if (FORM === 'whole') await expect(storage.captureToHost(location)).rejects.toThrow(SandboxError);
    expect(await readdir(hostSessionsDir)).toEqual([]);
    expect((await storage.findByIdOnHost('../x')).path).toBeUndefined();
  });
});
