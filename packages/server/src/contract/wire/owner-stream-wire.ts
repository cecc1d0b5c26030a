/** Zod schemas of the stream of an owner's changes. Pure. */
import { z } from 'zod';
import type { OwnerStreamEvent } from '@truecast/client/internal/wire/owner-stream';
import { requestViewSchema } from '../receipt.ts';
import type { WireSchema } from '../wire-schema.ts';
import { chatSummaryViewSchema } from './chat-wire.ts';
import { ensembleRunViewSchema } from './ensemble-wire.ts';
import { runViewSchema } from './run-wire.ts';

export type { ChatSummaryView, OwnerStreamEvent } from '@truecast/client/internal/wire/owner-stream';

/** Schema of an event. */
export const ownerStreamEventSchema: WireSchema<OwnerStreamEvent> = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ready'), is_resumed: z.boolean() }),
    z.strictObject({ type: z.literal('chat'), chat: chatSummaryViewSchema }),
    z.strictObject({ type: z.literal('chat_deleted'), chat_id: z.string() }),
    z.strictObject({ type: z.literal('receipt'), receipt: requestViewSchema }),
    z.strictObject({ type: z.literal('run'), run: runViewSchema }),
    z.strictObject({ type: z.literal('ensemble_run'), run: ensembleRunViewSchema }),
  ])
  .meta({ ref: 'OwnerStreamEvent' });
