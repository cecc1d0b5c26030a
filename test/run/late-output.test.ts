/**
 * A sandbox of a caller that returns a command's output at the end, and never calls `onLine`: the
 * answer, the events, the log, the recording and the session are as complete as with one that does.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import { createBindMountSandboxProvider } from '../../packages/truecast/src/sandboxes/shared/create-bind-mount-sandbox-provider.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { commitLine, makeRepository, PRINT_ANSWER, runOptions, temporaryFolder } from './fixture.ts';

const SESSION = '11111111-2222-4333-8444-555555555555';

/** Hides `onLine` from a sandbox that streams. */
function lateSandbox(): SandboxProvider {
  return createBindMountSandboxProvider({
    name: 'late',
    create: async (options) => {
      const inner = await noSandbox().create({ ...options, mounts: [] });
      return {
        worktreePath: inner.worktreePath,
        exec: (command, { onLine: _unused, ...asked } = {}) => inner.exec(command, asked),
        close: () => inner.close(),
      };
    },
  });
}

it('gives the answer, and a whole log and recording', async () => {
  const folder = temporaryFolder();
  const [log, record] = [join(folder, 'run.log'), join(folder, 'run.jsonl')];
  const result = await run(
    runOptions(`echo "a line of the agent"; ${commitLine('a.txt')}; ${PRINT_ANSWER}`, {
      cwd: makeRepository(),
      sandbox: lateSandbox(),
      branchStrategy: { type: 'merge-to-head' },
      logging: { type: 'file', path: log, record },
    }),
  );
  expect(result.commits).toHaveLength(1);
  expect(result.stdout).toContain('a line of the agent');
  expect(readFileSync(log, 'utf8')).toContain('a line of the agent');
  expect(readFileSync(record, 'utf8')).toContain('a line of the agent');
});

it('stores a whole session', async () => {
  const [bin, host, inside] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const lines = [
    { type: 'system', subtype: 'init', session_id: SESSION },
    { type: 'assistant', message: { id: 'm', content: [{ type: 'text', text: 'Done.' }] } },
    { type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: SESSION },
  ].map((line) => `echo '${JSON.stringify(line)}'`);
  const entry = JSON.stringify({ type: 'user', message: { role: 'user', content: 'x' } });
  const folder = `${inside}/$(pwd | sed 's/[^A-Za-z0-9]/-/g')`;
  const script = `#!/bin/sh\nmkdir -p "${folder}"\necho '${entry}' > "${folder}/${SESSION}.jsonl"\n${lines.join('\n')}\n`;
  writeFileSync(join(bin, 'claude'), script, { mode: 0o755 });
  mkdirSync(host, { recursive: true });
  const result = await run({
    ...runOptions('', { cwd: makeRepository(), sandbox: lateSandbox() }),
    agent: claudeCode('m', {
      env: { PATH: `${bin}:${process.env['PATH'] ?? ''}` },
      sessionStorage: { hostProjectsDir: host, sandboxProjectsDir: inside },
    }),
    prompt: 'x',
  });
  expect(result.warnings).toEqual([]);
  const path = result.iterations[0]?.sessionFilePath ?? '';
  expect(readFileSync(path, 'utf8')).toBe(`${entry}\n`);
});
