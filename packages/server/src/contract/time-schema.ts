/** Times on the wire: their Zod schema and their text. Pure. */
import { z } from 'zod';
import type { WireSchema } from './wire-schema.ts';

/** Schema of a time in ISO 8601. The server writes it, so its text is not checked. */
export const timeSchema: WireSchema<string> = z.string().meta({ format: 'date-time' });

/** Renders a time, in milliseconds since 1970. */
export function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
