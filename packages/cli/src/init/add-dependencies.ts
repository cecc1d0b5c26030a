/** Dependencies of a scaffold: the command that adds them from the tarballs of a clone, and its run. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { runProgram } from 'truecast/internal/process/run-program';
import { ownTarballs } from '../terminal/own-command.ts';
import { PACKAGE_MANAGERS, type PackageManagerName } from './init-choices.ts';

/** The command that adds the dependencies. */
export interface Addition {
  /** For a shell. */
  readonly line: string;
  /** Program and arguments. Undefined if the tarballs are not there. */
  readonly command: readonly string[] | undefined;
  /** Steps that the user has to take before the command. */
  readonly before: readonly string[];
}

/** Returns the command that adds Truecast and Zod to a project. */
export function additionFor(manager: PackageManagerName, top: string): Addition {
  const start = [manager, ...PACKAGE_MANAGERS[manager].add];
  if (existsSync(join(top, 'node_modules/truecast'))) {
    return { line: [...start, 'zod'].join(' '), command: [...start, 'zod'], before: [] };
  }
  const { pattern, paths } = ownTarballs();
  const isPacked = paths.length > 0;
  return {
    line: [...start, pattern, 'zod'].join(' '),
    command: isPacked ? [...start, ...paths, 'zod'] : undefined,
    before: isPacked ? [] : ['Pack Truecast, in its clone: npm run pack -- tarballs'],
  };
}

/**
 * Returns the command to run.
 *
 * @throws UsageError if the tarballs are not there
 */
export function neededCommand({ command, line }: Addition): readonly string[] {
  if (command !== undefined) return command;
  throw new UsageError(
    `\`--install\` needs the tarballs of Truecast, which is not on npm. Run \`npm run pack -- tarballs\` in its clone first; or pass \`--no-install\` and run \`${line}\` later.`,
  );
}

/** Returns true on success. Writes to stderr: stdout is for results. */
export async function addDependencies(
  [program = '', ...args]: readonly string[],
  cwd: string,
): Promise<boolean> {
  const { fd } = process.stderr;
  const { exitCode } = await runProgram(program, args, {
    cwd,
    // The package manager runs the project's own scripts anyway.
    env: process.env,
    stdout: fd,
    stderr: fd,
    needsWindowsShell: true,
  });
  return exitCode === 0;
}
