/** Fake Claude Code: a program named `claude` that is a shell script, and shell lines that print its stream. */
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Session of each answer. */
export const CLAUDE_SESSION = '11111111-2222-4333-8444-555555555555';

/** Returns a shell command that prints one line of the stream. */
export function printLine(line: object): string {
  return `printf '%s\\n' '${JSON.stringify(line).replaceAll("'", String.raw`'\''`)}'`;
}

/** Shell command that prints the first line of the stream, which names the session. */
export const PRINT_SESSION: string = printLine({
  type: 'system',
  subtype: 'init',
  session_id: CLAUDE_SESSION,
});

/** Returns a shell command that prints a text of the agent. */
export function printText(text: string): string {
  return printLine({ type: 'assistant', message: { content: [{ type: 'text', text }] } });
}

/** Returns a shell command that prints the last line of a turn, a success. @param members - such as `structured_output` */
export function printResult(members: object = {}): string {
  return printLine({
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: CLAUDE_SESSION,
    total_cost_usd: 0,
    usage: { input_tokens: 1, output_tokens: 1 },
    result: 'Done.',
    ...members,
  });
}

/** Writes the program, and returns the PATH of this process with its folder before it. */
export function writeFakeClaude(folder: string, script: string): string {
  const program = join(folder, 'claude');
  writeFileSync(program, `#!/bin/sh\n${script}\n`);
  chmodSync(program, 0o755);
  return `${folder}${delimiter}${process.env['PATH']}`;
}
