/**
 * `truecast demo`: a complete run without a key or a network. A wrong answer is rejected and
 * corrected.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import { temporaryBranchName } from 'truecast/internal/git/command/branch-name';
import { runProgram } from 'truecast/internal/process/run-program';
import { makeTemporaryFolder } from 'truecast/internal/process/temporary-folder';
import { run } from 'truecast/internal/run/run';
import { quoteArgument } from 'truecast/internal/support/shell-quote';
import { chooseSandbox } from '../flags/choose-sandbox.ts';
import { findInstalledAgents } from '../flags/choose-agent.ts';
import type { CommandContext } from '../flags/flag-values.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { tellSeal } from '../terminal/describe-work.ts';
import { printResult, tell, tellNote, tellToCopy, type Terminal } from '../terminal/print.ts';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { nodeProgramAgent } from '@truecast/testing/internal/node-program-agent';
import { OFFLINE_AGENT_PROGRAM } from '@truecast/testing/internal/offline-agent/offline-agent-provider';

interface DemoFlags {
  readonly repo?: string;
}

const SURVEY = jsonSchema({
  type: 'object',
  properties: {
    commit: { type: 'string', pattern: '^[0-9a-f]{40,64}$' },
    filesTracked: { type: 'integer', minimum: 0 },
    largestFile: {
      type: 'object',
      properties: { path: { type: 'string' }, bytes: { type: 'integer' } },
      required: ['path', 'bytes'],
    },
  },
  required: ['commit', 'filesTracked', 'largestFile'],
});

/** Long enough to read each line. Not used if a program reads the output. */
const PAUSE_MS = 900;

export function addDemoCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('demo')
    .description('Show how a wrong answer is rejected and corrected. Works offline, without a key.')
    .option(
      '--repo <dir>',
      'work on this repository, on a new branch that is never merged (default: a new one)',
    )
    .addHelpText('after', '\nExamples:\n  $ truecast demo\n  $ truecast demo --repo .')
    .action((flags: DemoFlags) => finish(() => demoCommand(flags, terminal), {}));
}

async function demoCommand({ repo }: DemoFlags, terminal: Terminal): Promise<void> {
  const note = (line: string): void => tellNote(line, terminal);
  const startedMs = performance.now();
  const cwd = repo ?? (await makeRepository());
  tell('A small offline agent surveys a repository. Its answer must fit a schema:', terminal, 'heading');
  tell('  { commit: string, filesTracked: integer, largestFile: { path, bytes } }', terminal);
  const sandbox = await chooseSandbox({ egress: 'none', mayUseNone: true }, note);
  const random = crypto.getRandomValues(new Uint8Array(3));
  const branch = temporaryBranchName({ name: 'demo', now: new Date(), random });
  const output = Output.object({ tag: 'result', schema: SURVEY, maxCorrections: 2, retry: 'fresh' });
  const result = await run({
    agent: demoAgent(terminal.stderr.isTTY === true ? PAUSE_MS : 0),
    sandbox,
    cwd,
    branchStrategy: { type: 'branch', branch },
    logging: { type: 'file', live: terminal.stderr },
    prompt: `Survey this repository, and commit a note about it.\n\n${Output.instructions(output)}`,
    output,
  });
  const { attempts, span } = result.provenance;
  note(
    `filesTracked is a number now. The answer is at characters ${span?.start} to ${span?.end} of the agent's text.`,
  );
  const commit = `git -C ${quoteArgument(cwd)} show ${result.branch}`;
  tellToCopy('Its commit is on its own branch', commit, terminal, 'aside');
  await printResult(result.output, terminal);
  tellSeal({ attempts: attempts.length, durationMs: performance.now() - startedMs }, terminal);
  await tellNext(terminal);
}

/** Creates a small repository, so that the caller's files are not changed without a request. */
async function makeRepository(): Promise<string> {
  const path = join(await makeTemporaryFolder('demo'), 'repository');
  await mkdir(path);
  await writeFile(join(path, 'README.md'), '# A repository for the demo\n');
  await writeFile(join(path, 'hello.ts'), "console.log('hello');\n");
  const identity = ['-c', 'user.name=Truecast', '-c', 'user.email=truecast@localhost'];
  await git(path, 'init', '--quiet', '--initial-branch=main');
  await git(path, 'add', '.');
  await git(path, ...identity, 'commit', '--quiet', '--no-gpg-sign', '--message', 'Begin');
  return path;
}

async function git(cwd: string, ...args: readonly string[]): Promise<void> {
  const { exitCode, stderr } = await runProgram('git', args, { cwd });
  if (exitCode === 0) return;
  const reason = exitCode === undefined ? 'git is not installed, or not on the PATH.' : stderr;
  throw new UsageError(`The demo needs git: ${reason} See \`truecast doctor\`.`);
}

async function tellNext(terminal: Terminal): Promise<void> {
  const [agent] = await findInstalledAgents(process.env);
  tell('Next:', terminal, 'heading');
  const lines = [
    ['A real agent, in your repository', 'run "Find a bug" --tag bug'],
    ['A real agent CLI without a key', 'mock'],
    ['A program for your repository', 'init'],
  ] as const;
  for (const [what, args] of lines) tellToCopy(what, `${OWN_COMMAND} ${args}`, terminal);
  if (agent === undefined) {
    const install = 'npm install -g @anthropic-ai/claude-code';
    tellToCopy('No agent is installed. To install one', install, terminal, 'aside');
  }
}

/** Creates the agent. It pauses after each line, so that a person can follow. */
function demoAgent(pauseMs: number): AgentProvider {
  return nodeProgramAgent({
    name: 'offline',
    node: process.execPath,
    programUrl: OFFLINE_AGENT_PROGRAM,
    args: () => ['--demo', String(pauseMs)],
  });
}
