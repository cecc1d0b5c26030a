/** Zod schemas of the stream of an owner's changes. Pure. */
import { z } from 'zod';
import type { OwnerStreamEvent } from '@truecast/client/internal/wire/owner-stream';
import { requestViewSchema } from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';
import { chatSummaryViewSchema } from './chat-wire.ts';

export type { ChatSummaryView, OwnerStreamEvent } from '@truecast/client/internal/wire/owner-stream';

/** Schema of an event. */
export const ownerStreamEventSchema: WireSchema<OwnerStreamEvent> = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ready'), is_resumed: z.boolean() }),
    z.strictObject({ type: z.literal('chat'), chat: chatSummaryViewSchema }),
    z.strictObject({ type: z.literal('chat_deleted'), chat_id: z.string() }),
    z.strictObject({ type: z.literal('receipt'), receipt: requestViewSchema }),
  ])
  .meta({ ref: 'OwnerStreamEvent' });
