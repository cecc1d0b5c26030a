/** Runs agents, sandboxes and outputs that were written for `@ai-hero/sandcastle`. */
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as theirs from '@ai-hero/sandcastle';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  createBindMountSandboxProvider,
  createIsolatedSandboxProvider,
  run,
  type AgentProvider,
  type IsolatedCreateOptions,
  type IsolatedSandboxHandle,
  type IterationUsage,
} from '../../packages/truecast/src/exports/sandcastle.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { customIsolated } from './custom-sandbox.ts';
import { commitLine, git, makeRepository, PRINT_ANSWER, runOptions, temporaryFolder } from './fixture.ts';

const USAGE: IterationUsage = {
  inputTokens: 5,
  cacheCreationInputTokens: 0,
  cacheReadInputTokens: 1,
  outputTokens: 7,
};

/** An agent whose usage is only in its session, which a store on the host keeps. */
function sessionAgent(script: string): AgentProvider & { readonly path: string } {
  const path = join(temporaryFolder(), 'session.jsonl');
  return {
    path,
    name: 'sessions',
    env: {},
    captureSessions: true,
    sessionStorage: {
      captureToHost: () => writeFile(path, JSON.stringify(USAGE)),
      resumeIntoSandbox: () => Promise.resolve(),
      readHostSession: () => readFile(path, 'utf8'),
      existsOnHost: () => Promise.resolve(true),
      hostSessionFilePath: () => path,
      findByIdOnHost: () => Promise.resolve({ path, searchedRoot: '/' }),
    },
    buildPrintCommand: () => ({ command: script }),
    parseStreamLine: (line) => [
      { type: 'session_id', sessionId: 's1' },
      { type: 'text', text: line },
    ],
    parseSessionUsage: (content) => JSON.parse(content) as IterationUsage,
  };
}

describe('an agent with a line parser', () => {
  it('reports the usage of its captured session', async () => {
    const agent = sessionAgent(PRINT_ANSWER);
    const { iterations, usage } = await run({ ...runOptions('', { sandbox: customIsolated() }), agent });
    expect(iterations).toEqual([{ sessionId: 's1', sessionFilePath: agent.path, usage: USAGE }]);
    expect(usage).toEqual(USAGE);
  });

  it('is stopped by a budget that its session exceeds', async () => {
    const agent = sessionAgent(PRINT_ANSWER);
    const budget = { tokens: 12 };
    const running = run({ ...runOptions('', { sandbox: customIsolated() }), agent, budget });
    await expect(running).rejects.toMatchObject({ name: 'LimitError', code: 'tokens' });
  });

  it('keeps its answer if `parseSessionUsage` throws', async () => {
    const agent: AgentProvider = {
      ...sessionAgent(PRINT_ANSWER),
      parseSessionUsage: () => {
        throw new TypeError('parser');
      },
    };
    const result = await run({ ...runOptions('', { sandbox: customIsolated() }), agent });
    expect(result.usage).toBeUndefined();
    expect(result.stdout).toContain('42');
  });
});

describe('the output of another library', () => {
  it('is validated like an own one, and typed', async () => {
    const output = theirs.Output.object({ tag: 'result', schema: z.object({ answer: z.number() }) });
    const result = await run({ ...runOptions(PRINT_ANSWER), output });
    expectTypeOf(result.output).toEqualTypeOf<{ answer: number }>();
    expect(result.output).toEqual({ answer: 42 });
    const text = await run({ ...runOptions(PRINT_ANSWER), output: theirs.Output.string({ tag: 'result' }) });
    expectTypeOf(text.output).toEqualTypeOf<string>();
    expect(text.output).toBe('{"answer":42}');
  });

  it('is refused if its tag is not a name', async () => {
    const output = theirs.Output.string({ tag: 'two words' });
    await expect(run({ ...runOptions(PRINT_ANSWER), output })).rejects.toMatchObject({
      code: 'invalid-definition',
    });
  });
});

describe('a custom sandbox', () => {
  it('can contain a program that the host has not', async () => {
    const agent = { ...command({ command: `:; ${PRINT_ANSWER}` }), program: 'only-in-the-image' };
    const local = createBindMountSandboxProvider({
      name: 'local',
      create: (options) => noSandbox().create(options),
    });
    const { stdout } = await run({ ...runOptions(''), agent, sandbox: local });
    expect(stdout).toContain('42');
    await expect(run({ ...runOptions(''), agent })).rejects.toThrow('not on the PATH');
  });

  it('can wrap another isolated one', async () => {
    const cwd = makeRepository();
    const inner = customIsolated();
    const commands: string[] = [];
    const outer = createIsolatedSandboxProvider({
      name: 'outer',
      async create(options: IsolatedCreateOptions): Promise<IsolatedSandboxHandle> {
        const handle = await inner.create(options);
        const exec: IsolatedSandboxHandle['exec'] = (line, given) => {
          commands.push(line);
          return handle.exec(line, given);
        };
        return { ...handle, exec };
      },
    });
    const { commits } = await run(runOptions(commitLine('b.txt'), { cwd, sandbox: outer }));
    expect(commits).toEqual([{ sha: git(cwd, 'rev-parse', 'main') }]);
    expect(commands.some((line) => line.includes('b.txt'))).toBe(true);
  });
});

describe('a folder of the other library', () => {
  // The folder is not ignored here, so the agent's commits can contain it.
  const UNCOMMITTED: unknown = expect.stringMatching(/^uncommitted: .*`\.sandcastle\/?`/u);

  it('is named in warnings and never read', async () => {
    const cwd = makeRepository();
    const folder = join(cwd, '.sandcastle');
    await mkdir(join(folder, 'worktrees/side'), { recursive: true });
    await writeFile(join(folder, '.env'), 'SANDCASTLE_KEY=secret');
    const options = runOptions('echo "<$SANDCASTLE_KEY>"', { cwd });
    const { stdout, warnings } = await run(options);
    expect(stdout.trim()).toBe('<>');
    expect(warnings).toEqual([
      expect.stringMatching(/^sandcastle-env-file: .*--from-sandcastle/u),
      expect.stringMatching(/^sandcastle-worktrees: .*git worktree remove/u),
      UNCOMMITTED,
    ]);
    await mkdir(join(cwd, '.truecast'));
    await writeFile(join(cwd, '.truecast/.env'), 'SANDCASTLE_KEY=copied');
    await writeFile(join(cwd, '.truecast/.gitignore'), '.env');
    await rm(join(folder, 'worktrees/side'), { recursive: true });
    expect((await run(options)).warnings).toEqual([UNCOMMITTED]);
  });

  it('is not followed through a link', async () => {
    const cwd = makeRepository();
    const elsewhere = temporaryFolder();
    await writeFile(join(elsewhere, '.env'), 'A=1');
    await symlink(elsewhere, join(cwd, '.sandcastle'));
    expect((await run(runOptions('true', { cwd }))).warnings).toEqual([UNCOMMITTED]);
  });
});
