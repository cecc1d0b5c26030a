/** Zod schema of a time on the wire. */
import { z } from 'zod';
import type { WireSchema } from './wire-schema.ts';

/** Schema of a time in ISO 8601. The server writes it, so its text is not checked. */
export const timeSchema: WireSchema<string> = z.string().meta({ format: 'date-time' });
