/** Program lookup: finds an agent's program on the host's PATH before the run creates anything. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';

export interface ProgramPaths {
  /** As found on the PATH. Often a symlink. */
  readonly path: string;
  readonly realPath: string;
}

/**
 * Finds the agent's program.
 *
 * @returns undefined if the agent names no program, or if a sandbox with its own programs can
 *   contain it
 * @throws UsageError if it is not on the PATH, with installation instructions
 */
export async function findAgentProgram(
  agent: AgentProvider,
  env: Readonly<Record<string, string | undefined>>,
  sandbox: SandboxProvider,
): Promise<ProgramPaths | undefined> {
  if (agent.program === undefined || isRelativePath(agent.program)) return undefined;
  // On another machine, only that machine's programs count.
  if (sandbox.tag === 'isolated') return undefined;
  const found = await findProgram(agent.program, env['PATH'] ?? '');
  if (found !== undefined || (sandbox.tag === 'bind-mount' && sandbox.hasOwnPrograms !== false)) return found;
  const hint =
    agent.installHint === undefined
      ? ' Install it, or correct the command.'
      : ` Install it: \`${agent.installHint}\`.`;
  throw new UsageError(
    `The program \`${agent.program}\` of the agent \`${agent.name}\` is not on the PATH.${hint} Then try again.`,
    {
      code: 'unsupported',
    },
  );
}

/**
 * Finds an executable file by name in the folders of a PATH. A name with a slash is already a path.
 */
export async function findProgram(name: string, searchPath: string): Promise<ProgramPaths | undefined> {
  // A relative path is relative to the worktree, which does not exist yet.
  if (isAbsolute(name)) {
    return (await isExecutable(name)) ? { path: name, realPath: await realpath(name) } : undefined;
  }
  for (const folder of searchPath.split(delimiter)) {
    const path = join(folder, name);
    if (folder !== '' && (await isExecutable(path))) return { path, realPath: await realpath(path) };
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}

function isRelativePath(program: string): boolean {
  return program.includes('/') && !isAbsolute(program);
}
