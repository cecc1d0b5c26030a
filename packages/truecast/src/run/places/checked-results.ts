/** Checks of what a sandbox provider returns. Its types hold only in TypeScript. */
import { cut, describeValue } from '@truecast/core/internal/kit/describe-value';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import type { SandboxExecResult, SandboxHandle } from '../../ports/sandbox-provider.ts';

/** @throws SandboxError `start` for a value that is not a handle */
export function assertHandle(name: string, handle: SandboxHandle): void {
  // Members can be inherited from a class.
  const isValid =
    typeof handle === 'object' &&
    handle !== null &&
    typeof handle.exec === 'function' &&
    typeof handle.close === 'function' &&
    typeof handle.worktreePath === 'string';
  if (isValid) return;
  throw new SandboxError(
    `Expected the sandbox \`${name}\` to return a handle with \`worktreePath\`, \`exec\` and \`close\`, got ${describeValue(handle)}. Correct its provider.`,
    { code: 'start' },
  );
}

/** Runs a command of a provider. An error that is not Truecast's or `isOurs` is wrapped. */
export async function checkedExec(
  name: string,
  exec: () => Promise<SandboxExecResult>,
  isOurs: (error: unknown) => boolean,
): Promise<SandboxExecResult> {
  let result: unknown;
  try {
    result = await exec();
  } catch (error) {
    if (TruecastError.isInstance(error) || isOurs(error)) throw error;
    throw new SandboxError(
      `A command in the sandbox \`${name}\` failed: ${reasonOf(error)} Check the sandbox, then run again.`,
      { code: 'exec', cause: error },
    );
  }
  if (isResult(result)) return result;
  throw new SandboxError(
    `Expected \`exec\` of the sandbox \`${name}\` to return \`{ stdout, stderr, exitCode }\`, got ${describeValue(result)}. Correct its provider.`,
    { code: 'exec' },
  );
}

/** Creates the error of a provider that reports a line of another type. */
export function notText(name: string, line: unknown): SandboxError {
  return new SandboxError(
    `Expected the sandbox \`${name}\` to call \`onLine\` with text, got ${describeValue(line)}. Correct its provider.`,
    { code: 'exec' },
  );
}

function isResult(value: unknown): value is SandboxExecResult {
  return (
    isRecord(value) &&
    typeof value['stdout'] === 'string' &&
    typeof value['stderr'] === 'string' &&
    Number.isInteger(value['exitCode'])
  );
}

/** The message of a custom sandbox's error, as a sentence. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error ? error.message.trim() : describeValue(error);
  return /[.!?…]$/u.test(reason) ? cut(reason) : `${cut(reason)}.`;
}
