/** Text form of a tool result, for any kind of blocks. Pure. */
import { z } from 'zod';

const textBlocks = z.array(
  z.union([
    z.looseObject({ type: z.literal('text'), text: z.string() }).transform(({ text }) => text),
    z.looseObject({ type: z.string() }).transform(({ type }) => `[${type}]`),
    z.unknown().transform((value) => JSON.stringify(value) ?? ''),
  ]),
);

/** Returns a string unchanged, text blocks joined, and anything else as JSON. */
export function toolResultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (content === undefined || content === null) return '';
  const blocks = textBlocks.safeParse(content);
  return blocks.success ? blocks.data.join('\n') : (JSON.stringify(content) ?? '');
}
