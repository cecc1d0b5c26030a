/** Short forms of the error message for an invalid answer. Pure. */

/** Codes whose message ends with a sentence of advice for callers of the library. */
const ADVISED: readonly string[] = [
  'invalid-json',
  'schema-mismatch',
  'ambiguous',
  'tag-not-found',
  'not-produced',
];
/** The last sentence of an attempt, and of an error after several ones. */
const ADVICE = /`maxCorrections`|Refused \d+ times|Show the tag/u;
const REASON = 'which failed schema validation: ';

/** An invalid answer's code and message, as in its error. */
export interface AnswerProblem {
  readonly code: string;
  readonly message: string;
}

export function withoutAdvice({ code, message }: AnswerProblem): string {
  const end = ADVISED.includes(code) ? message.lastIndexOf('. ') : -1;
  return end !== -1 && ADVICE.test(message.slice(end)) ? message.slice(0, end + 1) : message;
}

/** Returns only the reason of a refusal, for use next to the answer itself. */
export function refusalReason(problem: AnswerProblem): string {
  const said = withoutAdvice(problem);
  const at = problem.code === 'schema-mismatch' ? said.lastIndexOf(REASON) : -1;
  return at === -1 ? said : `answer refused ${said.slice(at + REASON.length)}`;
}
