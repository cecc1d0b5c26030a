/** Fake Claude Code: a program named `claude` that runs a shell script, for routes that start agents by name. */
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import { temporaryFolder } from '../../run/fixture.ts';

const RESULT = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: '11111111-2222-4333-8444-555555555555',
  total_cost_usd: 0,
  usage: { input_tokens: 1, output_tokens: 1 },
  result: 'Done.',
};

/**
 * Puts the program first in the PATH of this process, until the end of the test.
 *
 * @param result - shell script that prints the stream. @default a success without an answer
 */
export function installFakeClaude(
  script: string,
  result: string = `printf '%s\\n' '${JSON.stringify(RESULT)}'`,
): void {
  const folder = temporaryFolder();
  // One file, because a sandbox mounts the program alone.
  const program = `#!/bin/sh\ncat >/dev/null\nsh -s >&2 <<'END' || exit $?\n${script}\nEND\n${result}\n`;
  writeFileSync(join(folder, 'claude'), program);
  chmodSync(join(folder, 'claude'), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
}
