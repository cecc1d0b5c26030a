/**
 * Programs in the shapes that sandcastle documents. They are compiled and never run: only the names
 * of the imports differ from a program for that library.
 */
import { execFile, spawn } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  claudeCode,
  codex,
  createBindMountSandboxProvider,
  createIsolatedSandboxProvider,
  createSandbox,
  createWorktree,
  Output,
  pi,
  run,
  StructuredOutputError,
  type AgentProvider,
  type AnySandboxProvider,
  type BindMountCreateOptions,
  type BindMountSandboxHandle,
  type ExecResult,
  type InteractiveExecOptions,
  type IsolatedSandboxHandle,
  type IterationUsage,
  type NoSandboxHandle,
  type PrintCommand,
  type RunOptions,
} from '../../packages/truecast/src/exports/sandcastle.ts';
import { docker } from '../../packages/truecast/src/sandboxes/docker.ts';

/** What a program does with a value. */
declare function show(...values: readonly unknown[]): void;

function execute(command: string, cwd: string, onLine?: (line: string) => void): Promise<ExecResult> {
  if (onLine === undefined) {
    return new Promise((resolve) => {
      execFile('sh', ['-c', command], { cwd }, (error, stdout, stderr) =>
        resolve({ stdout, stderr, exitCode: typeof error?.code === 'number' ? error.code : 0 }),
      );
    });
  }
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['-c', command], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      onLine(line);
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ stdout: lines.join('\n'), stderr: '', exitCode: code ?? 0 }));
  });
}

const mounted = createBindMountSandboxProvider({
  name: 'mounted',
  sandboxHomedir: '/home/agent',
  create: async (options: BindMountCreateOptions): Promise<BindMountSandboxHandle> => {
    options.mounts.push({ hostPath: '/cache', sandboxPath: '~/.cache', readonly: true });
    options.env['CI'] = 'true';
    return {
      worktreePath: options.worktreePath,
      exec: (command: string, given?: { onLine?: (line: string) => void; cwd?: string }) =>
        execute(command, given?.cwd ?? options.worktreePath, given?.onLine),
      interactiveExec: async (args: string[], streams: InteractiveExecOptions) => {
        spawn(args[0] ?? 'sh', args.slice(1), { cwd: streams.cwd });
        return { exitCode: 0 };
      },
      copyFileIn: (hostPath: string, sandboxPath: string) => copyFile(hostPath, sandboxPath),
      copyFileOut: (sandboxPath: string, hostPath: string) => copyFile(sandboxPath, hostPath),
      close: async () => undefined,
    };
  },
});

const remote = createIsolatedSandboxProvider({
  name: 'remote',
  create: async (): Promise<IsolatedSandboxHandle> => {
    const root = await mkdtemp(join(tmpdir(), 'remote-'));
    return {
      worktreePath: root,
      exec: (
        command: string,
        given?: { onLine?: (line: string) => void; cwd?: string },
      ): Promise<ExecResult> => execute(command, given?.cwd ?? root, given?.onLine),
      copyIn: async (hostPath: string, sandboxPath: string) => {
        await mkdir(dirname(sandboxPath), { recursive: true });
        if ((await stat(hostPath)).isDirectory()) await cp(hostPath, sandboxPath, { recursive: true });
        else await copyFile(hostPath, sandboxPath);
      },
      copyFileOut: (sandboxPath: string, hostPath: string) => copyFile(sandboxPath, hostPath),
      close: () => rm(root, { recursive: true, force: true }),
    };
  },
});

const own: AgentProvider = {
  name: 'own',
  env: { OWN_KEY: 'key' },
  captureSessions: false,
  buildPrintCommand: ({ prompt, resumeSession }): PrintCommand => ({
    command: resumeSession === undefined ? 'own' : `own --resume ${resumeSession}`,
    stdin: prompt,
  }),
  buildInteractiveArgs: ({ prompt }) => ['own', prompt],
  parseStreamLine: (line) => (line === '' ? [] : [{ type: 'text', text: line }]),
  parseSessionUsage: (content): IterationUsage | undefined =>
    content === ''
      ? undefined
      : { inputTokens: 1, cacheCreationInputTokens: 0, cacheReadInputTokens: 0, outputTokens: 1 },
};

/** An agent around another one, which reads its lines and its sessions. */
function logged(agent: AgentProvider): AgentProvider {
  return {
    ...agent,
    parseStreamLine(line) {
      const events = agent.parseStreamLine(line);
      for (const event of events) if (event.type === 'tool_call') show(event.name, event.args.length);
      return events.filter((event) => event.type !== 'usage');
    },
  };
}

async function everyOption(): Promise<string | undefined> {
  const options: RunOptions<ReturnType<typeof claudeCode>> = {
    agent: claudeCode('claude-opus-4-8', { effort: 'high', env: { A: '1' } }),
    sandbox: docker({
      imageName: 'image',
      mounts: [{ hostPath: '~/.npm', sandboxPath: '/npm', readonly: true }],
    }),
    cwd: '../other',
    promptFile: './prompt.md',
    promptArgs: { ISSUE: 42, STRICT: true },
    maxIterations: 3,
    branchStrategy: { type: 'branch', branch: 'agent/fix', baseBranch: 'main' },
    copyToWorktree: ['node_modules'],
    hooks: {
      host: { onWorktreeReady: [{ command: 'cp a b', timeoutMs: 5 }], onSandboxReady: [{ command: 'true' }] },
      sandbox: { onSandboxReady: [{ command: 'npm ci', sudo: true }] },
    },
    name: 'fix',
    completionSignal: ['DONE', 'STOP'],
    idleTimeoutSeconds: 60,
    completionTimeoutSeconds: 5,
    timeouts: { copyToWorktreeMs: 1, gitSetupMs: 1, commitCollectionMs: 1, mergeToHostMs: 1 },
    signal: new AbortController().signal,
    logging: {
      type: 'file',
      path: '.logs/run.log',
      verbose: true,
      onAgentStreamEvent: (event) => {
        if (event.type === 'toolCall') show(event.name, event.formattedArgs, event.timestamp.getTime());
      },
    },
  };
  const result = await run(options);
  for (const { sha } of result.commits) show(sha, result.iterations[0]?.usage?.inputTokens);
  const next = await result.resume?.('Go on', { promptArgs: {} });
  await Promise.all([
    result.fork?.('Review A', { branchStrategy: { type: 'branch', branch: 'a' } }),
    next?.fork?.('Review B', { branchStrategy: { type: 'branch', branch: 'b' } }),
  ]);
  return result.preservedWorktreePath ?? result.logFilePath;
}

async function typedAnswer(): Promise<number> {
  const output = Output.object({ tag: 'result', schema: z.object({ score: z.number() }), maxRetries: 2 });
  const shared = { agent: codex('gpt-5.4'), sandbox: mounted, prompt: 'Score it in <result>.' };
  try {
    return (await run({ ...shared, output })).output.score;
  } catch (error) {
    if (!(error instanceof StructuredOutputError) || error.sessionId === undefined) throw error;
    const prompt = `It failed: ${error.message}. Write <${error.tag}> again. ${error.commits.length}`;
    return (await run({ ...shared, output, prompt, resumeSession: error.sessionId })).output.score;
  }
}

async function severalRuns(): Promise<string | undefined> {
  await using sandbox = await createSandbox({ branch: 'agent/fix', sandbox: remote });
  const first = await sandbox.run({ agent: own, prompt: 'Implement.', maxIterations: 5 });
  await sandbox.run({
    agent: logged(pi('m')),
    promptFile: 'review.md',
    promptArgs: { SHA: first.commits[0]?.sha ?? '' },
  });
  const { exitCode, stdout } = await sandbox.exec('npm test', {
    onLine: (line) => show(line),
    sudo: false,
  });
  show(exitCode, stdout, sandbox.branch, sandbox.worktreePath);
  return (await sandbox.close()).preservedWorktreePath;
}

async function oneWorktree(sandbox: AnySandboxProvider): Promise<void> {
  await using worktree = await createWorktree({ branchStrategy: { type: 'merge-to-head' } });
  await worktree.interactive({ agent: claudeCode('claude-opus-4-8'), prompt: 'Explore.' });
  const { commits } = await worktree.run({
    agent: logged(claudeCode('claude-opus-4-8')),
    sandbox,
    prompt: 'Do it.',
  });
  const inside = await worktree.createSandbox({ sandbox });
  show(commits.length, worktree.branch, inside.branch);
}

describe('a program of the documented shape', () => {
  it('returns the documented types', () => {
    expectTypeOf(everyOption).returns.resolves.toEqualTypeOf<string | undefined>();
    expectTypeOf(typedAnswer).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(severalRuns).returns.resolves.toEqualTypeOf<string | undefined>();
    expectTypeOf(oneWorktree).parameter(0).toEqualTypeOf<AnySandboxProvider>();
    expectTypeOf<NoSandboxHandle['interactiveExec']>().toBeFunction();
  });
});
