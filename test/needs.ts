/**
 * Needs of suites: declares a suite or a test that needs a program of the machine. Where it is missing,
 * it is skipped by name with the reason, but never in CI: there it runs, and fails.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, it } from 'vitest';

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

/** Why suites of the syncs of SQLite cannot run here: on Windows, SQLite syncs and keeps its own checkpoints. */
export const windowsSyncs: string | undefined =
  process.platform === 'win32' ? 'SQLite itself syncs on Windows' : undefined;

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

/** Body of a test, with its options before it if it has any. */
export type TestBody = readonly [Play] | readonly [{ readonly timeout?: number }, Play];
type Play = () => void | Promise<void>;

/** Declares a test. With a reason it is skipped, and its title contains the reason. */
export function itUnless(reason: string | undefined, title: string, ...body: TestBody): void {
  const [options, play] = body.length === 1 ? [{}, body[0]] : body;
  const isSkipped = reason !== undefined && !IN_CI;
  it.skipIf(isSkipped)(isSkipped ? `${title} [skipped: ${reason}]` : title, options, play);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
