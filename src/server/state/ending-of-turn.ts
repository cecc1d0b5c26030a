/** Owns the ending of a request that the machine ends itself: what the rows of its turn tell stands in the receipt. */
import { ChatStateError } from '../../errors/chat-state-error.ts';
import type { ChatMessageRow } from '../../store/tables/chats.ts';
import type { Receipt, RequestErrorCode } from '../contract/receipt.ts';
import { endingError, endRequest } from '../turn/end-request.ts';
import { toMessage } from './chat-records.ts';
import type { ChatUpdate } from './chat-update.ts';

/** How a request ends. The machine adds what it knows itself: the schema's hash and the duration. */
export type RequestEnding = Omit<
  Receipt,
  'request_id' | 'schema_hash' | 'value' | 'duration_ms' | 'status'
> & {
  readonly status: 'succeeded' | 'failed' | 'canceled';
};

/** Why the machine ends a request whose turn had begun. */
export type EndingCode = Extract<
  RequestErrorCode,
  'interrupted' | 'superseded' | 'chat_deleted' | 'generation_failed'
>;

/** Makes the ending of the request that runs, from the rows as they stand now. */
export async function endingOfTurn(
  { db, next }: ChatUpdate,
  requestId: string,
  code: EndingCode,
): Promise<RequestEnding> {
  const rows = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', next.id)
    .where('deleted', '=', 0)
    .where('id', '>=', ({ selectFrom }) =>
      selectFrom('chat_requests').select('message_id').where('chat_requests.id', '=', requestId),
    )
    .orderBy('id')
    .execute();
  const status = code === 'generation_failed' ? 'failed' : 'canceled';
  const ending: RequestEnding = { status, error: endingError(code), attempts: [] };
  return { ...ending, ...factsOfTurn(rows, requestId) };
}

/** What the turn had come to; nothing where a row cannot be read: that must not keep a chat from being mended or deleted. */
function factsOfTurn(rows: readonly ChatMessageRow[], requestId: string): Partial<RequestEnding> {
  try {
    const ending = { type: 'failed', error: endingError('generation_failed') } as const;
    // The hash and the duration are written by the row itself, which knows both.
    const facts = { requestId, schemaHash: '', durationMs: 0 };
    const { receipt } = endRequest(rows.map(toMessage), ending, facts);
    const { attempts, mechanism, model, usage } = receipt;
    return {
      attempts,
      ...(mechanism !== undefined && { mechanism }),
      ...(model !== undefined && { model }),
      ...(usage !== undefined && { usage }),
    };
  } catch (error) {
    if (ChatStateError.isInstance(error)) return {};
    throw error;
  }
}
