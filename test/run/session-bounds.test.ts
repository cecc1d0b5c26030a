/** Tests of copying sessions that an agent made endless, large or not regular files. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boundedCopy } from '../../packages/truecast/src/run/places/bounded-copy.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { bubblewrap } from '../../packages/truecast/src/sandboxes/bubblewrap.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { createClaudeSessionStorage } from '../../packages/truecast/src/agents/claude-code/claude-session.ts';
import { localIsolatedSandbox } from '../../packages/testing/src/local-isolated-sandbox.ts';
import { runsBubblewrap } from '../describe-in-bubblewrap.ts';
import { matrixColumns } from '../matrix.ts';
import { runOptions, temporaryFolder } from './fixture.ts';

const ID = '213b01b2-bdfb-4311-ae8c-278749623d07';

function sessionAgent(script: string, hostProjectsDir: string): AgentProvider {
  const session = { type: 'session', sessionId: ID } as const;
  return {
    ...command({
      command: ['sh', '-c', `mkdir -p ~/.claude/projects/p; cd ~/.claude/projects/p; ${script}`],
    }),
    captureSessions: true,
    sessionStorage: createClaudeSessionStorage({ hostProjectsDir }, {}),
    createStreamParser: () => ({ push: () => [], end: () => [session] }),
  };
}

function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ name }) => name);
}

const SANDBOXES = [
  ['an isolated sandbox', localIsolatedSandbox()] as const,
  ...(runsBubblewrap ? [['bubblewrap', bubblewrap({ egress: 'none' })] as const] : []),
];

/** Sessions that an agent can make. The short form tries each in one of the sandboxes. */
const SESSIONS = [
  ['a link to an endless device', `ln -s /dev/urandom ${ID}.jsonl`, 'could not be copied'],
  ['a pipe', `mkfifo ${ID}.jsonl`, 'could not be copied'],
  [
    'larger than its limit',
    `yes 'a line of a session' | head -c 3000000 > ${ID}.jsonl`,
    'larger than 1000000 bytes',
  ],
  ['one endless line', `head -c 3000000 /dev/zero > ${ID}.jsonl`, 'larger than 1000000 bytes'],
] as const;

describe.each(SANDBOXES.map((sandbox, row) => [...sandbox, row] as const))(
  'a session in %s',
  (_name, sandbox, row) => {
    it.each(matrixColumns(row, SESSIONS, { rows: SANDBOXES.length }))(
      'leaves nothing on the host when it is %s',
      async (_what, script, expected) => {
        const projects = join(temporaryFolder(), 'projects');
        const result = await run({
          ...runOptions('', { sandbox }),
          agent: sessionAgent(script, projects),
          session: { maxBytes: 1_000_000 },
        });
        expect(result.warnings.join('\n')).toContain(expected);
        expect(filesBelow(projects)).toEqual([]);
      },
    );
  },
);

describe('copying a session', () => {
  const open = (): ReturnType<ReturnType<typeof noSandbox>['create']> => {
    const worktreePath = temporaryFolder();
    return noSandbox().create({ worktreePath, hostRepoPath: worktreePath, mounts: [], env: {} });
  };
  const neverAborted = new AbortController().signal;

  it('ends at its time', async () => {
    const handle = boundedCopy(await open(), { maxBytes: 1_000, timeoutMs: 50, signal: neverAborted });
    await expect(handle.exec('sleep 300', { onLine: () => undefined })).rejects.toMatchObject({
      code: 'copy',
    });
  });

  it('ends with the run', async () => {
    const controller = new AbortController();
    const bounds = { maxBytes: 1_000, timeoutMs: 60_000, signal: controller.signal };
    const handle = boundedCopy(await open(), bounds);
    const reason = new RangeError('enough');
    const copying = handle.exec('echo ready; sleep 300', { onLine: () => controller.abort(reason) });
    await expect(copying).rejects.toBe(reason);
  });

  it('counts what goes in', async () => {
    const handle = boundedCopy(await open(), { maxBytes: 1_000, timeoutMs: 60_000, signal: neverAborted });
    await expect(handle.exec('cat > in', { stdin: 'x'.repeat(2_000) })).rejects.toMatchObject({
      code: 'copy',
    });
  });
});
