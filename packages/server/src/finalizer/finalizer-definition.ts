/**
 * Finalizer of a chat turn: its definition for the model, and its facts for turn decisions. Pure.
 */
import { FINALIZER_KEY, FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { embedSchema } from '@truecast/core/internal/schema/engine/embed-schema';
import type { ToolFacts } from '../contract/tools.ts';
import type { StoredFormat } from '../format/stored-format.ts';

/** The finalizer of one request. */
export interface FinalizerDefinition {
  readonly name: typeof FINALIZER_NAME;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** The finalizer among the tools of a turn. */
export const FINALIZER_FACTS: ToolFacts = Object.freeze({
  name: FINALIZER_NAME,
  kind: 'local',
  isExclusive: true,
  isStopAfter: true,
  isReadOnly: true,
});

const DESCRIPTION =
  `Hands in the final answer of this request in \`${FINALIZER_KEY}\`, and ends the turn once it is accepted. ` +
  'Call it once, with no other call in the same step, after all other work is done. ' +
  'The answer is checked against the schema: when it is rejected, correct what is named and call the tool again.';

/** Creates the definition anew at each call, so that a caller's changes stay local. */
export function finalizerDefinition({
  description,
  schema,
}: Pick<StoredFormat, 'description' | 'schema'>): FinalizerDefinition {
  const about = description === undefined || description === '' ? '' : ` What the answer is: ${description}`;
  return {
    name: FINALIZER_NAME,
    description: `${DESCRIPTION}${about}`,
    inputSchema: structuredClone(embedSchema(schema, FINALIZER_KEY)),
  };
}

/** The end of the system prompt in a turn with a request. */
export const FINALIZER_SYSTEM_TEXT: string =
  `This turn ends with a structured answer. When the work is done, call \`${FINALIZER_NAME}\` alone in its step; ` +
  'text is not taken for the answer, and nothing else ends the turn.';

/** The last line of a prompt for a model that cannot be forced to call the tool. */
export const FINALIZER_REMINDER_TEXT: string = `Remember: hand in the final answer by calling \`${FINALIZER_NAME}\`.`;
