/** Fake Claude Code of one test, first in the PATH of its process. */
import { vi } from 'vitest';
import { printResult, writeFakeClaude } from './fake-claude.ts';
import { temporaryFolder } from './run/fixture.ts';

/**
 * Puts a program that reads its prompt and runs a script first in the PATH of this process, until the end of
 * the test.
 *
 * @param result - shell script that prints the stream. @default a success without an answer
 */
export function installFakeClaude(script: string, result: string = printResult()): void {
  // One file, because a sandbox mounts the program alone.
  const program = `cat >/dev/null\nsh -s >&2 <<'END' || exit $?\n${script}\nEND\n${result}`;
  vi.stubEnv('PATH', writeFakeClaude(temporaryFolder(), program));
}
