/** Body of a request that repeats the question of a turn. Pure. */
import type { EditMessageBody } from '@truecast/client/internal/wire/message';
import type { AskedQuestion } from '../question/question.ts';
import { parseSchema } from '../json/describe-schema.ts';
import { turnText, type TranscriptTurn } from './transcript/turns.ts';

/** Members of a body that require the answer of a turn. Plan mode of the chat does not apply to them. */
export function requiredAnswer(
  format: TranscriptTurn['format'],
): Pick<EditMessageBody, 'response_format' | 'plan_mode'> {
  if (format === undefined) return {};
  const { name, schema_text: text } = format;
  return {
    plan_mode: false,
    response_format: { type: 'json_schema', json_schema: { name, schema: parseSchema(text) } },
  };
}

/** Returns the body of a turn's question with another text. Its files are kept. */
export function repeatedQuestion({ user, format }: TranscriptTurn, text: string): EditMessageBody {
  const files = (user?.content ?? []).flatMap((part) => (part.type === 'file' ? [part] : []));
  return {
    content: files.length === 0 ? text : [...files, { type: 'text', text }],
    ...requiredAnswer(format),
  };
}

/** Returns the typed question of a turn, to ask it in another chat. */
export function askedIn(turn: TranscriptTurn): AskedQuestion | undefined {
  const { user, format } = turn;
  if (format === undefined) return undefined;
  const files = (user?.content ?? []).flatMap((part) => (part.type === 'file' ? [part] : []));
  return { message: questionOf(turn), name: format.name, schemaText: format.schema_text, files };
}

export function questionOf({ user }: TranscriptTurn): string {
  return user === undefined ? '' : turnText(user);
}

/** Describes what a repetition of a turn removes: its reply, and the turns after it. */
export function describeCut(turns: readonly TranscriptTurn[], index: number): string {
  const later = turns.length - index - 1;
  const reply = 'The reply to this question is removed';
  if (later <= 0) return `${reply}. Its receipt stays.`;
  return `${reply}, and ${later === 1 ? 'the question' : `the ${later} questions`} after it. Receipts stay.`;
}
