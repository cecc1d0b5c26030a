/** Labels of a chat: their schema, and the query parameter that finds one of them. Pure. */
import { z } from 'zod';
import type { ChatLabels } from '@truecast/client/internal/wire/chat';
import type { WireSchema } from './wire-schema.ts';

export type { ChatLabels } from '@truecast/client/internal/wire/chat';

const MAX_LABELS = 16;
const MAX_VALUE = 256;

/** Schema of labels. Keys have no character that JSON escapes: `labelled` relies on it. */
export const chatLabelsSchema: WireSchema<ChatLabels> = z
  .record(
    z.string().regex(/^[A-Za-z0-9._/-]{1,64}$/u, 'Expected keys of 1 to 64 letters, digits and `._/-`'),
    z.string().max(MAX_VALUE),
  )
  .refine((labels) => Object.keys(labels).length <= MAX_LABELS, `Expected at most ${MAX_LABELS} labels`);

export interface ChatLabel {
  readonly key: string;
  readonly value: string;
}

/** `label` of a list: `KEY:VALUE`. */
export const labelParameter: WireSchema<ChatLabel> = z
  .string()
  .regex(/^[A-Za-z0-9._/-]{1,64}:/u, 'Must be KEY:VALUE, such as team:billing')
  .transform((text) => {
    const [key = ''] = text.split(':', 1);
    return { key, value: text.slice(key.length + 1) };
  });
