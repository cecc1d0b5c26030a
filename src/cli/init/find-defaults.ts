/** Owns what `truecast init` finds out of the machine and the project: the sandbox that works, the package manager, the kind of modules. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { z } from 'zod';
import { UsageError } from '../../errors/usage-error.ts';
import { probeBubblewrap } from '../../run/sandboxes/probe.ts';
import type { PackageManagerName, SandboxName } from './init-choices.ts';

const PROBE_TIMEOUT_MS = 10_000;

/** Of two lockfiles, the one of the manager that people move to. */
const LOCKFILES: readonly (readonly [string, PackageManagerName])[] = [
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['package-lock.json', 'npm'],
];

const packageFile = z.looseObject({ packageManager: z.string().optional(), type: z.string().optional() });

/**
 * Returns the top folder of the repository around `cwd`.
 *
 * @throws UsageError where there is none
 */
export async function findTopFolder(cwd: string): Promise<string> {
  const { stdout, failed } = await execa('git', ['rev-parse', '--show-toplevel'], { cwd, reject: false });
  if (!failed) return stdout;
  throw new UsageError(`Expected \`${cwd}\` to be in a git repository. Run \`git init\` there first.`, {
    code: 'invalid-cwd',
  });
}

/** Returns the first sandbox that starts here; undefined where none does. */
export async function findSandbox(): Promise<SandboxName | undefined> {
  if ((await probeBubblewrap()).works) return 'bubblewrap';
  for (const engine of ['docker', 'podman'] as const) {
    const { failed } = await execa(engine, ['info'], { reject: false, timeout: PROBE_TIMEOUT_MS });
    if (!failed) return engine;
  }
  return undefined;
}

/** Returns the package manager that the project says, or whose lockfile it has. */
export function findPackageManager(folder: string): PackageManagerName {
  const said = readPackageFile(folder).packageManager?.split('@')[0];
  const known =
    LOCKFILES.find(([, name]) => name === said) ?? LOCKFILES.find(([file]) => existsSync(join(folder, file)));
  return known?.[1] ?? 'npm';
}

/** Tells whether `.ts` files of the project are ES modules. */
export function hasEsModules(folder: string): boolean {
  return readPackageFile(folder).type === 'module';
}

function readPackageFile(folder: string): z.infer<typeof packageFile> {
  try {
    return packageFile.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));
  } catch {
    // None, or one that only its package manager can complain about.
    return {};
  }
}
