/** Advice for an invalid answer, in the words of the command that found it. Pure. */
import type { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';

/** Codes whose message ends with advice for callers of the library. */
const ADVISED: readonly string[] = ['invalid-json', 'schema-mismatch', 'tag-not-found', 'not-produced'];

/** Returns the error's message with advice that this command's flags can follow. */
export function adviseAnswer(error: StructuredOutputError, flags: readonly string[]): string {
  if (!ADVISED.includes(error.code)) return error.message;
  const end = error.message.lastIndexOf('. ');
  const said = end === -1 ? error.message : error.message.slice(0, end + 1);
  const attempts = error.attempts.length > 1 ? ` after ${error.attempts.length} attempts` : '';
  const told = attempts === '' ? said : said.replace(/\.$/u, `${attempts}.`);
  return `${told} ${adviceFor(error, flags)}`;
}

function adviceFor({ code, attempts }: StructuredOutputError, flags: readonly string[]): string {
  if (flags.includes('--max-retries'))
    return `Let the agent correct it: \`--max-retries ${Math.max(2, attempts.length * 2)}\`.`;
  if (code === 'tag-not-found') return 'Check `--tag`, and that the transcript is complete.';
  return 'Correct the transcript or the schema.';
}
