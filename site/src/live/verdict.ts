/** Verdict on a text: the value that `truecast/output` finds in it, or the message that goes back to the agent. */
import { describeFailure, Output, safeExtractOutput } from 'truecast/output';
import { jsonSchema } from 'truecast/schema';

const bug = Output.object({
  tag: 'bug',
  schema: jsonSchema({
    type: 'object',
    properties: { file: { type: 'string' }, line: { type: 'integer' } },
    required: ['file', 'line'],
  }),
});

/** Verdict on a text, as a program gets it. */
export interface Verdict {
  readonly isValid: boolean;
  /** The value as JSON, or the request for a correction. */
  readonly text: string;
}

/** Texts of an agent, by what they show. */
export const TEXTS: Readonly<Record<string, string>> = {
  'Wrong type': 'The loop ends one item too late.\n\n<bug>{"file": "loop.ts", "line": "one"}</bug>',
  Corrected: 'You are right, the line is a number.\n\n<bug>{"file": "loop.ts", "line": 1}</bug>',
  'Two answers':
    'At first sight: <bug>{"file": "main.ts", "line": 9}</bug>\n\nNo, main.ts is fine. <bug>{"file": "loop.ts", "line": 1}</bug>',
  'Cut off': 'I found it in the loop.\n\n<bug>{"file": "loop.ts", "li',
};

/** Extracts and validates the answer of a text. */
export async function verdictOn(text: string): Promise<Verdict> {
  const result = await safeExtractOutput(text, bug);
  return result.success
    ? { isValid: true, text: JSON.stringify(result.output, undefined, 2) }
    : { isValid: false, text: describeFailure(result.error, { instruction: 'Send the corrected answer.' }) };
}
