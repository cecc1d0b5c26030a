/** Field schemas of YAML files. Their messages complete the sentence `Expected … to be`. Pure. */
import { z } from 'zod';

/** Separates the known keys in a mapping's message. No key contains it. */
export const KEY_SEPARATOR = ', ';

/** A mapping with exactly these keys. Other problems come from the fields' own messages. */
export function strictMapping<TShape extends z.ZodRawShape>(
  shape: TShape,
): z.ZodObject<TShape, z.core.$strict> {
  const keys = Object.keys(shape).join(KEY_SEPARATOR);
  return z.strictObject(shape, {
    error: ({ code }) => (code === 'unrecognized_keys' ? keys : `a mapping with the keys ${keys}`),
  });
}

/** A non-blank string. */
export const TEXT: z.ZodString = z
  .string('a text')
  .refine((text) => text.trim() !== '', 'a non-empty string');

/** An integer of at least 1. */
export const COUNT: z.ZodInt = z.int('a whole number of 1 or more').min(1, 'a whole number of 1 or more');
