/**
 * Detects the defaults of `truecast init`: a working sandbox, the package manager and the module
 * type.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import { runProgram } from 'truecast/internal/process/run-program';
import { readChosenFileSync } from 'truecast/internal/support/open-chosen-file';
import { isPathWithin } from 'truecast/internal/support/path-within';
import { probeBubblewrap } from 'truecast/internal/sandboxes/probe';
import { CONTAINER_SANDBOXES, type SandboxName } from 'truecast/internal/sandboxes/registry/sandboxes';
import { INIT_AGENTS } from 'truecast/internal/agents/registry/agents';
import type { InitAgentName } from 'truecast/internal/agents/registry/agent-names';
import { findInstalledAgents } from '../flags/choose-agent.ts';
import type { PackageManagerName } from './init-choices.ts';

const PROBE_TIMEOUT_MS = 10_000;
const MAX_PACKAGE_FILE_BYTES = 1024 * 1024;

/** If two lockfiles exist, the manager that projects usually migrate to takes precedence. */
const LOCKFILES: readonly (readonly [string, PackageManagerName])[] = [
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
];

const packageFile = z.looseObject({ packageManager: z.string().optional(), type: z.string().optional() });

/**
 * Returns the root folder of the repository that contains `cwd`.
 *
 * @throws UsageError outside of a repository; RepositoryError `unsafe-path`
 */
export async function findTopFolder(cwd: string): Promise<string> {
  const { path, root } = trustedPath(cwd, { option: '`--cwd`' });
  const { stdout, exitCode } = await runProgram('git', ['rev-parse', '--show-toplevel'], { cwd: path });
  // Git resolves the path again, which can lead elsewhere after a change.
  if (exitCode === 0 && (root === undefined || path === stdout || isPathWithin(stdout, path))) return stdout;
  throw new UsageError(`Expected \`${cwd}\` to be in a git repository. Run \`git init\` there first.`, {
    code: 'invalid-cwd',
  });
}

/** Returns the first sandbox that starts on this machine, or undefined. */
export async function findSandbox(): Promise<SandboxName | undefined> {
  if ((await probeBubblewrap()).works) return 'bubblewrap';
  for (const { engine } of CONTAINER_SANDBOXES) {
    const { exitCode } = await runProgram(engine, ['ps', '--quiet'], { timeoutMs: PROBE_TIMEOUT_MS });
    if (exitCode === 0) return engine;
  }
  return undefined;
}

/** Returns the installed agents that it can set up. Those whose key is set come first. */
export async function findInstalledInitAgents(): Promise<readonly InitAgentName[]> {
  const found = await findInstalledAgents(process.env);
  return found.map(({ name }) => name).filter(isInitAgent);
}

function isInitAgent(name: string): name is InitAgentName {
  return Object.hasOwn(INIT_AGENTS, name);
}

/** Returns false for a repository whose branch has no commit yet. */
export async function hasCommit(top: string): Promise<boolean> {
  return (await runProgram('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: top })).exitCode === 0;
}

/** Returns the package manager that the project declares, or the one of the lockfile. */
export function findPackageManager(folder: string): PackageManagerName {
  const said = readPackageFile(folder).packageManager?.split('@')[0];
  const known =
    LOCKFILES.find(([, name]) => name === said) ?? LOCKFILES.find(([file]) => existsSync(join(folder, file)));
  return known?.[1] ?? 'npm';
}

/** Returns true if the project's `.ts` files are ES modules. */
export function hasEsModules(folder: string): boolean {
  return readPackageFile(folder).type === 'module';
}

function readPackageFile(folder: string): z.infer<typeof packageFile> {
  try {
    return packageFile.parse(
      JSON.parse(readChosenFileSync(join(folder, 'package.json'), MAX_PACKAGE_FILE_BYTES)),
    );
  } catch {
    // The file is missing or invalid. The package manager reports an invalid file.
    return {};
  }
}
