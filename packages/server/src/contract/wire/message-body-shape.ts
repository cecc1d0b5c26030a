/** Members common to all user messages on the wire. Pure. */
import { z } from 'zod';
import type { InputPart } from '@truecast/client/internal/wire/message-parts';
import type { RequestLimitsBody, ResponseFormatBody } from '@truecast/client/internal/wire/response-format';
import { inputPartSchema } from '../parts.ts';
import { requestLimitsBodySchema, responseFormatBodySchema } from './format-wire.ts';

const content = z.union([z.string().min(1), z.array(inputPartSchema).min(1).max(100)], {
  error:
    'Must be a string, or an array of 1 to 100 parts such as {"type": "text", "text": "…"} and {"type": "file", "media_type": "image/png", "url": "https://…"}',
});
const flag = z.boolean().exactOptional();

/** Schema of an id that a client chooses. It is also a part of an address. */
export const clientIdSchema: z.ZodString = z
  .string()
  .regex(/^[\u0021-\u007E]{1,128}$/u, 'Expected 1 to 128 visible ASCII characters');

/** Members of every message, also within larger bodies. */
export const messageBodyShape: {
  readonly content: z.ZodType<string | InputPart[]>;
  readonly response_format: z.ZodExactOptional<z.ZodType<ResponseFormatBody>>;
  readonly limits: z.ZodExactOptional<z.ZodType<RequestLimitsBody>>;
  readonly plan_mode: z.ZodExactOptional<z.ZodBoolean>;
} = {
  content,
  response_format: responseFormatBodySchema.exactOptional(),
  limits: requestLimitsBodySchema.exactOptional(),
  plan_mode: flag,
};
