/** Escape suite: runs hostile guests in a sandbox on this machine and reports which attempts it held. */
import { RepositoryError } from '@truecast/core/internal/errors/repository-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { MountConfig, SandboxProvider } from '../../ports/sandbox-provider.ts';
import { command } from '../../agents/command.ts';
import { run } from '../run.ts';
import { type EscapeAttempt, type EscapeResult, withEscapeBait, type EscapeBait } from './escape-bait.ts';
import { FILE_ESCAPES } from './file-escapes.ts';
import { GIT_ESCAPES } from './git-escapes.ts';
import { SYSCALL_ESCAPES } from './syscall-escapes.ts';

const ATTEMPT_TIMEOUT_MS = 60_000;
/** Printed by the guest after the attempt. */
const END = 'the-guest-has-ended';

export const ESCAPE_ATTEMPTS: readonly EscapeAttempt[] = [
  ...FILE_ESCAPES,
  ...GIT_ESCAPES,
  ...SYSCALL_ESCAPES,
];

/**
 * Tries to break out of a sandbox, one attempt after the other, each in a fresh repository in the temporary folder.
 *
 * Nothing outside that folder is changed, even if an attempt succeeds. Needs `git` on the PATH.
 */
export async function tryEscapes(sandbox: SandboxProvider): Promise<readonly EscapeResult[]> {
  const results: EscapeResult[] = [];
  for (const attempt of ESCAPE_ATTEMPTS) {
    const { id, title, promise, only } = attempt;
    const reason = `promised by ${only?.join(' and ')} only`;
    if (isPromisedBy(sandbox, attempt)) results.push(await tryEscape(sandbox, attempt));
    else results.push({ id, title, promise, outcome: 'not-tried', reason });
  }
  return results;
}

/** Returns true if a sandbox promises to hold an attempt. */
export function isPromisedBy({ name }: SandboxProvider, { only }: EscapeAttempt): boolean {
  return only === undefined || only.includes(name);
}

/**
 * Makes one attempt.
 *
 * @throws SandboxError if the sandbox does not start, or does not run the guest to its end
 */
export async function tryEscape(sandbox: SandboxProvider, attempt: EscapeAttempt): Promise<EscapeResult> {
  const { id, title, promise } = attempt;
  return withEscapeBait(async (bait) => {
    await attempt.prepare?.(bait);
    const output = await runGuest(withMounts(sandbox, attempt.mounts?.(bait) ?? []), attempt, bait);
    if (!output.includes(END)) throw notRun(sandbox, attempt);
    const notTried = /NOT-TRIED(?:: ([^\n"\\]+))?/u.exec(output);
    if (notTried !== null) {
      const reason = notTried[1] ?? 'a program is missing in the sandbox';
      return { id, title, promise, outcome: 'not-tried', reason };
    }
    const escaped = await attempt.escaped(bait, output);
    return { id, title, promise, outcome: escaped ? 'escaped' : 'held' };
  });
}

/** Runs the script as an agent. A refused merge is part of the defence. */
async function runGuest(
  sandbox: SandboxProvider,
  { script, strategy = 'branch' }: EscapeAttempt,
  bait: EscapeBait,
): Promise<string> {
  const printed: string[] = [];
  const line = `(${script(bait)}) 2>&1; echo; echo ${END}; exit 0`;
  await run({
    agent: command({ command: ['sh', '-c', line], name: 'hostile-guest' }),
    sandbox,
    cwd: bait.repository,
    prompt: '',
    branchStrategy: strategy === 'branch' ? { type: 'branch', branch: 'guest' } : { type: strategy },
    timeouts: { runMs: ATTEMPT_TIMEOUT_MS },
    logging: {
      type: 'file',
      path: `${bait.folder}/guest.log`,
      onAgentStreamEvent: (event) => printed.push(JSON.stringify(event)),
    },
  }).then(
    ({ stdout }) => printed.push(stdout),
    // A run that rejects its guest's changes is part of the defence.
    (error: unknown) => {
      if (!RepositoryError.isInstance(error) && !isEscapeError(error)) throw error;
      // Refused before the guest started.
      if (RepositoryError.isInstance(error) && error.code === 'unsafe-path') printed.push(END);
    },
  );
  return printed.join('\n');
}

function withMounts(sandbox: SandboxProvider, mounts: readonly MountConfig[]): SandboxProvider {
  if (mounts.length === 0 || sandbox.tag !== 'bind-mount') return sandbox;
  return {
    ...sandbox,
    create: (options) => sandbox.create({ ...options, mounts: [...options.mounts, ...mounts] }),
  };
}

/** A guest that did not run has not tried anything. */
function notRun(sandbox: SandboxProvider, { id }: EscapeAttempt): SandboxError {
  return new SandboxError(
    `The attempt \`${id}\` did not run to its end in \`${sandbox.name}\`, so it shows nothing. Check that \`exec\` runs a shell command and passes on its output: \`sandboxContract()\` tests this.`,
    { code: 'exec' },
  );
}

function isEscapeError(error: unknown): boolean {
  return SandboxError.isInstance(error) && error.code !== 'start';
}
