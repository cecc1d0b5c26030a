/**
 * Baseline: the fewest git commands, scripted by hand, that produce the answer, the agent's
 * commits, and a clean end.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { PROMPT, type AgentRunner } from './agent-run.ts';

const executeFile = promisify(execFile);

export const runByHand: AgentRunner = async ({ command, repository, strategy, branch }) => {
  const base = await git(repository, 'rev-parse', '--verify', 'HEAD');
  const worktree = strategy === 'head' ? repository : join(repository, '.by-hand', branch);
  if (strategy !== 'head') await git(repository, 'worktree', 'add', '-q', '-b', branch, worktree, base);
  const answer = readAnswer(await runProgram(command, worktree));
  const end = strategy === 'head' ? 'HEAD' : branch;
  const commits = await git(repository, 'rev-list', '--reverse', `${base}..${end}`);
  if (strategy !== 'head') {
    const changes = await git(worktree, 'status', '--porcelain');
    if (strategy === 'merge-to-head') await git(repository, 'merge', '-q', '--no-edit', branch);
    if (changes === '') await git(repository, 'worktree', 'remove', worktree);
    if (strategy === 'merge-to-head') await git(repository, 'branch', '-q', '-d', branch);
  }
  return { answer, commits: commits === '' ? 0 : commits.split('\n').length };
};

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const { stdout } = await executeFile('git', args, { cwd });
  return stdout.trim();
}

async function runProgram(command: string, cwd: string): Promise<string> {
  const child = spawn('/bin/sh', ['-c', command], { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.on('error', () => undefined).end(PROMPT);
  const [output] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (child.exitCode !== 0) throw new Error(`The program exited with ${child.exitCode}.`);
  return output;
}

function readAnswer(output: string): { readonly answer: number } {
  const start = output.lastIndexOf('<result>') + '<result>'.length;
  const value: unknown = JSON.parse(output.slice(start, output.indexOf('</result>', start)));
  if (typeof value === 'object' && value !== null && 'answer' in value && typeof value.answer === 'number') {
    return { answer: value.answer };
  }
  throw new Error('The program printed another answer than the schema allows.');
}
