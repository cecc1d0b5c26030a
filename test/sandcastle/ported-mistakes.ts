/** Mistakes in programs for `@ai-hero/sandcastle`: each is one statement that its compiler refuses. */
import type { Program } from './ported-programs.ts';

/** The declarations that each mistake can use. */
const BEFORE: string = `
import * as library from '@ai-hero/sandcastle';
import { docker } from '@ai-hero/sandcastle/sandboxes/docker';
import { noSandbox } from '@ai-hero/sandcastle/sandboxes/no-sandbox';
import { podman } from '@ai-hero/sandcastle/sandboxes/podman';
import { z } from 'zod';
const { claudeCode, codex, pi, opencode, copilot, run, interactive, Output } = library;
const { createSandbox, createWorktree, createBindMountSandboxProvider } = library;
const basic = { agent: claudeCode('m'), sandbox: docker(), prompt: 'Do it.' };
const score = Output.object({ tag: 'result', schema: z.object({ score: z.number() }) });
declare const result: library.RunResult;
declare const sandbox: library.Sandbox;
declare const worktree: library.Worktree;
declare const event: library.AgentStreamEvent;
declare const handle: library.BindMountSandboxHandle;
declare const remote: library.IsolatedSandboxHandle;
declare const usage: library.IterationUsage;
export { podman, noSandbox, opencode, copilot, createBindMountSandboxProvider, createSandbox, createWorktree };
export { handle, remote, usage, codex, pi, interactive, score, basic, result, sandbox, worktree, event, run };
`;

const MISTAKES: readonly string[] = [
  // Options of a run.
  'await run({ ...basic, maxIteration: 3 });',
  "await run({ ...basic, maxIterations: '3' });",
  "await run({ sandbox: docker(), prompt: 'p' });",
  "await run({ agent: claudeCode('m'), prompt: 'p' });",
  "await run({ ...basic, agent: 'claude' });",
  'await run({ ...basic, sandbox: docker });',
  'await run({ ...basic, prompt: 1 });',
  'await run({ ...basic, promptArgs: { A: { b: 1 } } });',
  'await run({ ...basic, completionSignal: 1 });',
  "await run({ ...basic, idleTimeoutSeconds: '60' });",
  "await run({ ...basic, completionTimeoutSeconds: '60' });",
  "await run({ ...basic, signal: 'stop' });",
  "await run({ ...basic, copyToWorktree: 'node_modules' });",
  "await run({ ...basic, branchStrategy: { type: 'feature' } });",
  "await run({ ...basic, branchStrategy: { type: 'branch' } });",
  "await run({ ...basic, branchStrategy: { type: 'branch', branch: 1 } });",
  "await run({ ...basic, branchStrategy: 'head' });",
  "await run({ ...basic, logging: { type: 'console' } });",
  "await run({ ...basic, logging: 'stdout' });",
  "await run({ ...basic, logging: { type: 'file', path: 1 } });",
  "await run({ ...basic, logging: { type: 'file', path: 'l', onAgentStreamEvent: 1 } });",
  'await run({ ...basic, hooks: { sandbox: { onWorktreeReady: [] } } });',
  "await run({ ...basic, hooks: { host: { onWorktreeReady: ['npm ci'] } } });",
  'await run({ ...basic, hooks: { host: { onWorktreeReady: [{ timeoutMs: 1 }] } } });',
  'await run({ ...basic, timeouts: { gitSetup: 1 } });',
  "await run({ ...basic, timeouts: { gitSetupMs: '1' } });",
  'await run({ ...basic, resumeSession: 1 });',
  'await run();',
  // Results of a run.
  'result.commit;',
  'result.commits[0].hash;',
  'result.iterations[0].tokens;',
  'const count: string = result.commits.length;',
  "result.resume('Go on');",
  "result.fork('Go on');",
  'result.output;',
  '(await run(basic)).output;',
  'const line: number = result.stdout;',
  'const path: string = result.logFilePath;',
  'const kept: string = result.preservedWorktreePath;',
  'const id: string = result.iterations[0]!.sessionId;',
  'usage.totalTokens;',
  // Answers.
  'const text: string = (await run({ ...basic, output: score })).output.score;',
  '(await run({ ...basic, output: score })).output.line;',
  "Output.object({ tag: 'result' });",
  "Output.object({ tag: 'result', schema: { type: 'object' } });",
  'Output.object({ tag: 1, schema: z.object({}) });',
  "Output.object({ tag: 'result', schema: z.object({}), maxRetries: '2' });",
  'Output.string({});',
  'Output.string({ tag: 1 });',
  "Output.text({ tag: 'result' });",
  "await run({ ...basic, output: { tag: 'result' } });",
  'score.name;',
  // Agents.
  "claudeCode('m', { effort: 'extreme' });",
  "claudeCode('m', { env: { A: 1 } });",
  'claudeCode(1);',
  "codex('m', { effort: 'extreme' });",
  "pi('m', { thinking: 1 });",
  "opencode('m', { variant: 1 });",
  "copilot('m', { effort: 1 });",
  "const own: library.AgentProvider = { name: 'own', env: {}, captureSessions: false };",
  "const printed: library.PrintCommand = { stdin: '' };",
  "const asked: library.AgentCommandOptions = { prompt: '' };",
  // Events.
  "event.type === 'tool_call';",
  "if (event.type === 'text') event.text;",
  "if (event.type === 'toolCall') event.args;",
  'const at: string = event.timestamp;',
  // Sandboxes.
  "docker({ mounts: [{ hostPath: '/a' }] });",
  "docker({ image: 'a' });",
  'docker({ imageName: 1 });',
  'podman({ imageName: 1 });',
  'noSandbox({ env: { A: 1 } });',
  "createBindMountSandboxProvider({ name: 'own' });",
  "createBindMountSandboxProvider({ name: 'own', create: async () => ({}) });",
  "library.createIsolatedSandboxProvider({ name: 'own', create: async () => handle });",
  'remote.copyFileIn;',
  "(await handle.exec('a')).code;",
  'await handle.exec(1);',
  "const code: string = (await handle.exec('a')).exitCode;",
  // Warm sandboxes and worktrees.
  'await createSandbox({ sandbox: docker() });',
  "await createSandbox({ branch: 'a' });",
  'await createSandbox({ branch: 1, sandbox: docker() });',
  "await sandbox.exec(['npm', 'test']);",
  "await sandbox.exec('npm test', { timeout: 1 });",
  '(await sandbox.close()).path;',
  'sandbox.name;',
  'await createWorktree({});',
  "await createWorktree({ branchStrategy: { type: 'head' } });",
  'await worktree.createSandbox({});',
  "await worktree.interactive({ prompt: 'p' });",
  'worktree.path;',
  "await interactive({ agent: claudeCode('m'), prompt: 1 });",
  "await interactive({ prompt: 'p' });",
  "const exit: string = (await interactive({ agent: claudeCode('m') })).exitCode;",
  // Errors and sessions.
  'try { await run(basic); } catch (e) { if (e instanceof library.StructuredOutputError) e.raw; }',
  'try { await run(basic); } catch (e) { if (e instanceof library.StructuredOutputError) e.commits.sha; }',
  'try { await run(basic); } catch (e) { if (e instanceof library.CwdError) e.path; }',
  "library.transferClaudeSession('{}', '/a');",
  'library.encodeProjectPath(1);',
  "const found: string = (await library.findClaudeSessionOnHost('id')).path;",
  "library.claudeSandboxSessionPath('/a', 'id');",
  'library.runAgent;',
  'const options: library.RunOption = basic;',
];

/** `sandbox.run()` and `worktree.run()` also take an `output` here, so the compiler names an overload. */
const OF_OVERLOADS: readonly string[] = [
  "await sandbox.run({ agent: claudeCode('m'), prompt: 'p', cwd: '.' });",
  "await sandbox.run({ agent: claudeCode('m'), prompt: 'p', sandbox: docker() });",
  "await sandbox.run({ prompt: 'p' });",
  "await worktree.run({ agent: claudeCode('m'), prompt: 'p' });",
];

/** Mistakes that both libraries must refuse with the same code. */
export const mistakes: Program = programOf('mistakes', MISTAKES);

/** Mistakes that both must refuse in the same line. */
export const mistakesOfOverloads: Program = programOf('mistakes of overloads', OF_OVERLOADS);

/** One program for all, each in its own block and line: the declarations before them are checked once. */
function programOf(name: string, lines: readonly string[]): Program {
  return { name, code: `${BEFORE}${lines.map((line) => `{ ${line} }\n`).join('')}` };
}

/** The lines of the mistakes, each with its code, of which there is one. */
export function linesOf({ code }: Program): readonly number[] {
  return code.split('\n').flatMap((line, index) => (line.startsWith('{ ') ? [index + 1] : []));
}
