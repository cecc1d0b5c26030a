/** Parses stored JSON with the contract's schemas, because a database can be edited. */
import { z } from 'zod';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { ChatMessageRow, ChatRequestRow } from '@truecast/store/internal/tables/chats';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { toZod } from '../../contract/to-zod.ts';
import { finishReason } from '@truecast/client/internal/wire/message';
import { messagePart } from '@truecast/client/internal/wire/message-parts';
import {
  receiptAttempt,
  receiptMode,
  unenforcedRules,
  waitReason,
} from '@truecast/client/internal/wire/receipt';
import { dialectName } from '@truecast/client/internal/wire/response-format';
import type { RowPart, StepFacts } from '../../contract/rows.ts';
import { PARTS_FORM, RECEIPT_FORM, toNewest } from '../../contract/stored-versions.ts';

const parts = z.array(toZod(messagePart));
const usage: z.ZodType<Usage> = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheCreationInputTokens: z.number(),
  cacheReadInputTokens: z.number(),
  costUsd: z.number().exactOptional(),
});
/** No prompt contains them, so an unknown fact of a newer process is left out, and hides no message. */
const stepFacts: z.ZodType<StepFacts> = z.object({
  finishReason: toZod(finishReason),
  model: z.string(),
  usage: usage.exactOptional(),
  mode: toZod(receiptMode).exactOptional(),
  dialect: toZod(dialectName).exactOptional(),
  unenforced: toZod(unenforcedRules).exactOptional(),
  attempt: toZod(receiptAttempt).exactOptional(),
  durationMs: z.number().exactOptional(),
  waitedMs: z.number().exactOptional(),
  waitedFor: toZod(waitReason).exactOptional(),
  startedAt: z.number().exactOptional(),
  firstTokenAt: z.number().exactOptional(),
});

type PartsColumns = Pick<ChatMessageRow, 'parts' | 'parts_version'>;

/** Parses the parts of a message. @throws ChatStateError `invalid-state` */
export function readParts({ parts: text, parts_version: version }: PartsColumns): RowPart[] {
  return parseStored(parts, toNewest(PARTS_FORM, readJson(z.unknown(), text), version));
}

type ReceiptColumns = Pick<ChatRequestRow, 'attempts' | 'usage' | 'receipt_version'> &
  Partial<Pick<ChatRequestRow, 'error'>>;

/**
 * Returns the JSON of a receipt in today's version. The caller checks it.
 *
 * @throws ChatStateError `invalid-state`
 */
export function receiptJson(row: ReceiptColumns): Readonly<Record<string, unknown>> {
  const stored = Object.entries({ error: row.error, attempts: row.attempts, usage: row.usage });
  const known = stored.flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, readJson(z.unknown(), text)]] : [],
  );
  const value = toNewest(RECEIPT_FORM, Object.fromEntries(known), row.receipt_version);
  return isRecord(value) ? value : {};
}

/** Shown in place of parts that cannot be read. A model never gets it. */
const UNREADABLE: RowPart = {
  type: 'text',
  text: 'This message cannot be read: its stored row has an unknown format. The operator of the server can restore it from a backup.',
};

/** Parses the facts of a model call. @throws ChatStateError `invalid-state` */
export function readStep(text: string): StepFacts {
  return readJson(stepFacts, text);
}

/** Parses the parts of a message for a reader. One unreadable message does not hide the others. */
export function readShownParts(row: PartsColumns): RowPart[] {
  return readOr(() => readParts(row), [UNREADABLE]);
}

/** Returns `other` if the row cannot be read. */
export function readOr<T>(read: () => T, other: T): T {
  try {
    return read();
  } catch (error) {
    if (ChatStateError.isInstance(error)) return other;
    throw error;
  }
}

/** Parses a JSON column with a schema. @throws ChatStateError `invalid-state` */
export function readJson<T>(schema: z.ZodType<T>, text: string): T {
  return readStored(() => schema.parse(JSON.parse(text)));
}

/** Checks a value that was put together from columns. @throws ChatStateError `invalid-state` */
export function parseStored<T>(schema: z.ZodType<T>, value: unknown): T {
  return readStored(() => schema.parse(value));
}

function readStored<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new ChatStateError('A stored row has an unknown format. Restore the database from a backup.', {
      code: 'invalid-state',
      cause,
    });
  }
}
