/** Advice for an invalid answer, with the flags of the command that found it. Pure. */
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { withoutAdvice } from '../../support/answer-message.ts';

/** Returns the error's message with advice that this command's flags can follow. */
export function adviseAnswer(error: StructuredOutputError, flags: readonly string[]): string {
  const said = withoutAdvice(error);
  if (said === error.message) return said;
  const tries = error.attempts.length;
  const told = tries > 1 ? said.replace(/\.$/u, `, after ${tries} attempts.`) : said;
  return `${told} ${adviceFor(error, flags)}`;
}

function adviceFor({ code, attempts }: StructuredOutputError, flags: readonly string[]): string {
  if (flags.includes('--max-corrections'))
    return `Let the agent correct it: \`--max-corrections ${Math.max(2, attempts.length * 2)}\`.`;
  if (code === 'tag-not-found') return 'Check `--tag`, and that the transcript is complete.';
  return 'Correct the transcript or the schema.';
}
