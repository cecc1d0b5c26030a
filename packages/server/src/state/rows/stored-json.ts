/** Parses stored JSON with the contract's schemas, because a database can be edited. */
import { z } from 'zod';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { reportedUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { toZod } from '../../contract/to-zod.ts';
import { messagePart, type MessagePart } from '@truecast/client/internal/wire/message-parts';
import { unenforcedRules, waitReason } from '@truecast/client/internal/wire/receipt';
import { dialectName } from '@truecast/client/internal/wire/response-format';
import type { StepFacts } from '../../contract/rows.ts';

const parts = z.array(toZod(messagePart));
const usage: z.ZodType<Usage> = z.strictObject({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cacheCreationInputTokens: z.number(),
  cacheReadInputTokens: z.number(),
  costUsd: z.number().exactOptional(),
});
const stepFacts: z.ZodType<StepFacts> = z.strictObject({
  finishReason: z.enum([
    'stop',
    'tool_calls',
    'length',
    'content_filter',
    'runaway',
    'error',
    'interrupted',
    'other',
  ]),
  model: z.string(),
  usage: usage.exactOptional(),
  mode: z.enum(['tool', 'native', 'tool_auto']).exactOptional(),
  dialect: toZod(dialectName).exactOptional(),
  unenforced: toZod(unenforcedRules).exactOptional(),
  durationMs: z.number().exactOptional(),
  waitedMs: z.number().exactOptional(),
  waitedFor: toZod(waitReason).exactOptional(),
  startedAt: z.number().exactOptional(),
  firstTokenAt: z.number().exactOptional(),
});

/** Parses the parts of a message. @throws ChatStateError `invalid-state` */
export function readParts(text: string): MessagePart[] {
  return readJson(parts, text);
}

/** Shown in place of parts that cannot be read. A model never gets it. */
const UNREADABLE: MessagePart = {
  type: 'text',
  text: 'This message cannot be read: its stored row has an unknown format. The operator of the server can restore it from a backup.',
};

/** Parses the facts of a model call. @throws ChatStateError `invalid-state` */
export function readStep(text: string): StepFacts {
  const { usage: stored, ...facts } = readJson(stepFacts, text);
  // An older version stored zeros for an unknown usage.
  const counts = stored && reportedUsage(stored);
  return { ...facts, ...(counts !== undefined && { usage: counts }) };
}

/** Parses the parts of a message for a reader. One unreadable message does not hide the others. */
export function readShownParts(text: string): MessagePart[] {
  return readOr(() => readParts(text), [UNREADABLE]);
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
