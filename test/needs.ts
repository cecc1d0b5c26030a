/**
 * Needs of suites: declares a suite that needs a program of the machine. Where it is missing, the
 * suite is skipped by name with the reason, but never in CI: there it runs, and fails.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe } from 'vitest';

const IN_CI: boolean = process.env['CI'] === 'true';

/** Programs that some suites need, with the package that contains each. */
const PACKAGES = {
  'git-lfs': 'git-lfs',
  prometheus: 'prometheus',
  python3: 'python3',
  script: 'bsdutils',
  strace: 'strace',
  'systemd-analyze': 'systemd',
} as const;

/** Returns why suites that need this program cannot run here, or undefined if they can. */
export function missing(program: keyof typeof PACKAGES): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  if (IN_CI || folders.some((folder) => isExecutable(join(folder, program)))) return undefined;
  return `\`${program}\` is not on the PATH. Install it: \`apt install ${PACKAGES[program]}\``;
}

/** Declares a suite. With a reason it is skipped, and its title contains the reason. */
export function describeUnless(
  reason: string | undefined,
  title: string,
  declare: () => void | Promise<void>,
  options: { readonly timeout?: number } = {},
): void {
  const isSkipped = reason !== undefined && !IN_CI;
  describe.skipIf(isSkipped)(isSkipped ? `${title} [skipped: ${reason}]` : title, options, declare);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
