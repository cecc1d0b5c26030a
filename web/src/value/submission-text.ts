/** Text of a model that an attempt was read from, with the position of each field. Pure. */
import type { MessageView, Receipt } from '@truecast/client';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { ENVELOPE_KEY } from '@truecast/core/internal/schema/engine/embed-schema';
import { answerPositions } from './answer-positions.ts';
import type { JsonSpan } from '../json/json-positions.ts';

/** A submission as the model wrote it. */
export interface SubmissionText {
  readonly text: string;
  /** Fields of the answer. Empty if the text is not JSON, or contains the answer as a string. */
  readonly positions: ReadonlyMap<string, JsonSpan>;
}

/** Returns the text of an attempt. Undefined if its message has none. */
export function submissionText(
  { content }: Pick<MessageView, 'content'>,
  { repairs = [] }: Receipt['attempts'][number],
): SubmissionText | undefined {
  const call = content.find((part) => part.type === 'tool_call' && part.tool_name === FINALIZER_NAME);
  const isCall = call?.type === 'tool_call';
  const text = isCall
    ? call.args
    : content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (text === '') return undefined;
  const written = answerPositions(text, { start: 0, end: text.length });
  const isEnveloped = isCall && !repairs.includes('missing_envelope');
  const envelopes = repairs.filter((repair) => repair === 'unwrapped_output').length + (isEnveloped ? 1 : 0);
  const isInString = repairs.includes('parsed_string');
  return { text, positions: isInString ? new Map() : below(written, `/${ENVELOPE_KEY}`.repeat(envelopes)) };
}

/** The parts below a pointer, by the rest of their pointers. */
function below(positions: ReadonlyMap<string, JsonSpan>, root: string): ReadonlyMap<string, JsonSpan> {
  const inside = [...positions].flatMap(([pointer, position]) =>
    pointer === root || pointer.startsWith(`${root}/`)
      ? [[pointer.slice(root.length), position] as const]
      : [],
  );
  return new Map(inside);
}
