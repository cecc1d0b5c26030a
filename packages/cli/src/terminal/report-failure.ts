/**
 * Report of a command's failure: the kept work, then the error as the last line. Loaded only when a
 * command fails.
 */
import { EvidenceError } from '@truecast/core/internal/errors/base/run-evidence';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { inFlagWords } from './flag-words.ts';
import { OWN_COMMAND } from './own-command.ts';
import { errorToJson, printResult, tell, tellToCopy, type Terminal } from './print.ts';
import { withoutAdvice } from 'truecast/internal/support/answer-message';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import { processSecrets } from '@truecast/host/internal/masking/secret-values';

/** The failed command: its long flags, and whether it prints JSON. */
export interface FailedCommand {
  readonly flags: readonly string[];
  readonly json: boolean;
}

/** Prints the failure on stderr, and with `json` also as JSON on stdout. */
export async function reportFailure(
  failure: unknown,
  { flags, json }: FailedCommand,
  terminal: Terminal,
): Promise<void> {
  // Errors of a run are already masked. Errors of other commands are masked here, because they can
  // quote files that contain secrets.
  const error = maskFailure(failure);
  if (EvidenceError.isInstance(error)) tellEvidence(error, terminal);
  const said = StructuredOutputError.isInstance(error) ? adviseAnswer(error, flags) : messageOf(error);
  tell(`truecast: ${inFlagWords(said, flags)}`, terminal, 'bad');
  if (json) await printResult({ error: errorToJson(error) }, terminal);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function tellEvidence(
  { branch, commits, preservedWorktreePath, logFilePath }: EvidenceError,
  terminal: Terminal,
): void {
  const count = commits.length;
  const work = count === 0 ? '' : ` with ${count} commit${count === 1 ? '' : 's'}`;
  if (preservedWorktreePath !== undefined) {
    tellToCopy(
      `The work is kept: branch ${branch}${work}, worktree ${preservedWorktreePath}. To remove it later`,
      `${OWN_COMMAND} clean`,
      terminal,
      'aside',
    );
  } else if (count > 0 && branch !== undefined) {
    tell(`The work is kept: branch ${branch}${work}`, terminal, 'aside');
  }
  if (logFilePath !== undefined) tellToCopy('Log', logFilePath, terminal, 'aside');
}

/** Returns the error's message with advice that this command's flags can follow. */
function adviseAnswer(error: StructuredOutputError, flags: readonly string[]): string {
  const said = withoutAdvice(error);
  if (said === error.message) return said;
  const tries = error.attempts.length;
  const told = tries > 1 ? said.replace(/\.$/u, `, after ${tries} attempts.`) : said;
  return `${told} ${adviceFor(error, flags)}`;
}

function adviceFor({ code, attempts }: StructuredOutputError, flags: readonly string[]): string {
  if (flags.includes('--max-corrections')) {
    return `Let the agent correct it: \`--max-corrections ${Math.max(2, attempts.length * 2)}\`.`;
  }
  if (code === 'tag-not-found') return 'Check `--tag`, and that the transcript is complete.';
  return 'Correct the transcript or the schema.';
}

/** Returns the error without the secrets of this process's environment. */
export function maskFailure(failure: unknown): unknown {
  return maskValue(failure, createSecretMask(processSecrets()));
}
