/** Zod schemas of requests with messages, with the rules that their shapes cannot express. Pure. */
import { z } from 'zod';
import {
  createChatMembers,
  patchChatMembers,
  type CreateChatBody,
  type PatchChatBody,
} from '@truecast/client/internal/wire/chat';
import {
  editMessageMembers,
  sendMessageMembers,
  type EditMessageBody,
  type SendMessageBody,
} from '@truecast/client/internal/wire/message';
import { fileMembers, inputTextMembers, type InputPart } from '@truecast/client/internal/wire/message-parts';
import { chatLabelsSchema } from './chat-labels.ts';
import { toZodMembers } from './to-zod.ts';
import type { WireSchema } from './wire-schema.ts';

/** Excludes schemes such as `file:`. A model server can run on this machine and would open them. */
const address = z
  .string()
  .regex(/^(?:https?:\/\/|data:)/iu, 'Expected an address of `https:`, `http:` or `data:`')
  .exactOptional();
/** Excludes URLs, because a URL in place of bytes would be fetched too. */
const bytes = z
  .string()
  .regex(/^[A-Za-z0-9+/_-]+={0,2}$/u, 'Expected the bytes in Base64')
  .exactOptional();

const inputFile = z
  .strictObject({ ...toZodMembers(fileMembers), url: address, data: bytes })
  .refine(({ url, data }) => (url === undefined) !== (data === undefined), {
    error: 'Must have either `url` or `data`, and not both',
  });

/** Schema of a client's part: text and files only. */
export const inputPartSchema: WireSchema<InputPart> = z.discriminatedUnion(
  'type',
  [z.strictObject(toZodMembers(inputTextMembers)), inputFile],
  // A part that is not an object has no `type`.
  { error: ({ code }) => (code === 'invalid_union' ? 'Must be `text` or `file`' : undefined) },
);

const content = z.union([z.string().min(1), z.array(inputPartSchema).min(1).max(100)], {
  error:
    'Must be a string, or an array of 1 to 100 parts such as {"type": "text", "text": "…"} and {"type": "file", "media_type": "image/png", "url": "https://…"}',
});
const labels = chatLabelsSchema.exactOptional();

export const createChatBodySchema: WireSchema<CreateChatBody> = z
  .strictObject({ ...toZodMembers(createChatMembers), content, labels })
  .meta({ ref: 'CreateChat' });

export const patchChatBodySchema: WireSchema<PatchChatBody> = z
  .strictObject({ ...toZodMembers(patchChatMembers), labels })
  .meta({ ref: 'PatchChat' });

export const editMessageBodySchema: WireSchema<EditMessageBody> = z
  .strictObject({ ...toZodMembers(editMessageMembers), content })
  .meta({ ref: 'EditMessage' });

export const sendMessageBodySchema: WireSchema<SendMessageBody> = z
  .strictObject({ ...toZodMembers(sendMessageMembers), content })
  .meta({ ref: 'SendMessage' });
