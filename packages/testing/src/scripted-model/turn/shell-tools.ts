/** Shell tools of known agents. Pure. */
import { assertKind } from '@truecast/core/internal/errors/usage-error';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { OfferedTool, ScriptedTurn } from './scripted-turn.ts';

/** Input of each agent's shell tool by name, in order of preference. */
const SHELL_INPUTS: Readonly<Record<string, (command: string) => JsonValue>> = {
  Bash: (command) => ({ command, description: 'Run a scripted command' }),
  bash: (command) => ({ command, description: 'Run a scripted command' }),
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  local_shell: (command) => ({ command: ['bash', '-lc', command] }),
  run_shell_command: (command) => ({ command, is_background: false }),
};

/** Gemini CLI's result of a command: the output, then further facts, one per line. */
const GEMINI_OUTPUT =
  /^<untrusted_context>\nOutput: (.*?)(?:\n(?:Error|Exit Code|Signal|Background PIDs|Process Group PGID): [^\n]*)*\n<\/untrusted_context>$/su;

export interface ShellCall {
  readonly tool: OfferedTool;
  readonly input: JsonValue;
}

/** Finds the shell tool among `tools` and builds its input. Undefined if none is known. */
export function shellCall(tools: readonly OfferedTool[], command: string): ShellCall | undefined {
  for (const [name, input] of Object.entries(SHELL_INPUTS)) {
    const tool = tools.find((offered) => offered.name === name);
    if (tool !== undefined) return { tool, input: input(command) };
  }
  return undefined;
}

/**
 * Returns the trimmed output of the last shell command, without the text that Codex, Copilot and
 * Gemini CLI add.
 *
 * @example
 * ```ts
 * const script: ModelScript = (turn) =>
 *   turn.lastToolResult === undefined ? reply.shell('cat VERSION') : reply.text(`<version>${shellOutput(turn)}</version>`);
 * ```
 * @public
 */
export function shellOutput(turn: Pick<ScriptedTurn, 'lastToolResult'>): string {
  assertKind(turn, 'an object', 'turn', 'Pass the turn of the script.');
  const text = turn.lastToolResult?.text ?? '';
  const wrapped = GEMINI_OUTPUT.exec(text);
  if (wrapped !== null) return (wrapped[1] ?? '').trim();
  const header = /^(?:[A-Z][^\n]*\n)*Output:\n/u.exec(text);
  const output = text.slice(header?.[0].length ?? 0).trim();
  return output.replace(/\s*<shellId: \d+ completed with exit code \d+>$/u, '');
}
