/**
 * Shared fixtures for the tests of `run()`: temporary repositories, programs as agents, and default
 * options.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { Output } from '../../packages/core/src/output/output.ts';
import type { OutputObjectDefinition } from '../../packages/core/src/output/definition/definition.ts';
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { RunOptions } from '../../packages/truecast/src/run/options/run-options.ts';
import { noSandbox } from '../../packages/truecast/src/sandboxes/no-sandbox.ts';
import { withoutGit } from '../../packages/truecast/src/git/test-shortcuts.ts';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';

/** Registers what runs at the end. */
export type AtEnd = (remove: () => void) => void;

/**
 * Creates a temporary folder.
 *
 * @param atEnd - registers its removal. @default the end of the current test
 */
export function temporaryFolder(atEnd: AtEnd = onTestFinished): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-run-test-')));
  // Not by a hook of this module: files share it, and a hook would belong to the first of them.
  atEnd(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Runs git as a user would and returns its stdout, trimmed. Some of it takes no process: `withoutGit`. */
export function git(cwd: string, ...args: readonly string[]): string {
  const known = withoutGit(cwd, args);
  if (known !== undefined) return known;
  return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** Creates a repository with one commit in a temporary folder. */
export function makeRepository(name = 'repo', atEnd: AtEnd = onTestFinished): string {
  const copy = join(temporaryFolder(atEnd), name);
  copyRepository(copy);
  return copy;
}

const copyRepository = repositoryTemplate((path) => {
  git(path, 'init', '-q', '-b', 'main');
  git(path, 'config', 'user.name', 'Test');
  git(path, 'config', 'user.email', 'test@example.invalid');
  writeFileSync(join(path, 'a.txt'), 'one\n');
  git(path, 'add', '-A');
  git(path, 'commit', '-q', '-m', 'begin');
});

/** A shell script as an agent. It gets its prompt on stdin. */
function shellAgent(script: string): AgentProvider {
  return command({ command: ['sh', '-c', script] });
}

/** Commits a new file, for the scripts of agents. */
export function commitLine(file: string): string {
  return `echo work > '${file}' && git add '${file}' && git commit -q -m 'add ${file}'`;
}

/** `{ answer: number }` in `<result>`. */
export const answerOutput: OutputObjectDefinition<{ answer: number }> = Output.object({
  tag: 'result',
  schema: z.object({ answer: z.number() }),
});

/** A valid answer, printed. */
export const PRINT_ANSWER = `echo '<result>{"answer":42}</result>'`;

/**
 * Default options of a run in the repository itself. Each test adds only the options that it tests.
 */
export function runOptions(script: string, changes: Partial<RunOptions> = {}): RunOptions {
  return {
    agent: shellAgent(script),
    sandbox: noSandbox(),
    branchStrategy: { type: changes.sandbox?.tag === 'isolated' ? 'merge-to-head' : 'head' },
    logging: { type: 'file' },
    cwd: changes.cwd ?? makeRepository(),
    ...(changes.promptFile === undefined && { prompt: 'Answer in <result>.' }),
    ...changes,
  };
}

/** Returns true if a process runs. A dead process that is not yet reaped does not. */
export function isRunning(pid: string): boolean {
  try {
    return !/\) [ZX] /u.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
