/** Owns reading back the JSON that the machine stored: through the schemas of the contract, as a database may have been touched. */
import { z } from 'zod';
import { messagePartSchema, type MessagePart } from '../contract/parts.ts';

const parts = z.array(messagePartSchema);

/** Reads the parts of a message. */
export function readParts(text: string): MessagePart[] {
  return parts.parse(JSON.parse(text));
}

/** Reads a column that holds JSON of a known form. */
export function readJson<T>(schema: z.ZodType<T>, text: string): T {
  return schema.parse(JSON.parse(text));
}
