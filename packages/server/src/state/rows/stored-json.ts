/** Parses stored JSON with the contract's schemas, because a database can be edited. */
import { z } from 'zod';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { messagePartSchema, type MessagePart } from '../../contract/parts.ts';

const parts = z.array(messagePartSchema);

/** Parses the parts of a message. @throws ChatStateError `invalid-state` */
export function readParts(text: string): MessagePart[] {
  return readJson(parts, text);
}

/** Parses a JSON column with a schema. @throws ChatStateError `invalid-state` */
export function readJson<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ChatStateError(
      'A stored row has an unknown format. Update Truecast if a newer version wrote it, or restore the database.',
      { code: 'invalid-state', cause },
    );
  }
}
