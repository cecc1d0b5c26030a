/** Owns reading back the JSON that the machine stored: through the schemas of the contract, as a database may have been touched. */
import { z } from 'zod';
import { ChatStateError } from '../../errors/chat-state-error.ts';
import { messagePartSchema, type MessagePart } from '../contract/parts.ts';

const parts = z.array(messagePartSchema);

/** Reads the parts of a message. @throws ChatStateError `invalid-state` */
export function readParts(text: string): MessagePart[] {
  return readJson(parts, text);
}

/** Reads a column that holds JSON of a known form. @throws ChatStateError `invalid-state` */
export function readJson<T>(schema: z.ZodType<T>, text: string): T {
  try {
    return schema.parse(JSON.parse(text));
  } catch (cause) {
    throw new ChatStateError(
      'A stored row is not what this program writes. Update Truecast if a newer one wrote it, or restore the database.',
      { code: 'invalid-state', cause },
    );
  }
}
