/** Owns finding an agent's program on the host's PATH, before anything is created for it. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { UsageError } from '../errors/usage-error.ts';
import type { AgentProvider } from './agents/agent-provider.ts';
import type { SandboxProvider } from './sandboxes/sandbox-provider.ts';

/** Where a program stands on the host. */
export interface ProgramPaths {
  /** As found on the PATH; often a link. */
  readonly path: string;
  readonly realPath: string;
}

/**
 * Finds the agent's program.
 *
 * @returns undefined for an agent that names no program, and where a sandbox with programs of its own may have it
 * @throws UsageError when it is not on the PATH, with how to install it
 */
export async function findAgentProgram(
  agent: AgentProvider,
  env: Readonly<Record<string, string | undefined>>,
  sandbox: SandboxProvider,
): Promise<ProgramPaths | undefined> {
  if (agent.program === undefined || isRelativePath(agent.program)) return undefined;
  // On another machine, programs are that machine's.
  if (sandbox.tag === 'isolated') return undefined;
  const found = await findProgram(agent.program, env['PATH'] ?? '');
  if (found !== undefined || (sandbox.tag === 'bind-mount' && sandbox.hasOwnPrograms === true)) return found;
  const hint = agent.installHint === undefined ? '' : ` Install it: \`${agent.installHint}\`.`;
  throw new UsageError(
    `The program \`${agent.program}\` of the agent \`${agent.name}\` is not on the PATH.${hint} Then try again.`,
    {
      code: 'unsupported',
    },
  );
}

/** Finds an executable file by name in the folders of a PATH; a name with a slash is a path already. */
export async function findProgram(name: string, searchPath: string): Promise<ProgramPaths | undefined> {
  // A relative path is meant from the worktree, which is not there yet.
  if (isAbsolute(name))
    return (await isExecutable(name)) ? { path: name, realPath: await realpath(name) } : undefined;
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
