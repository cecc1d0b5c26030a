/**
 * Endings of requests that the state machine ends itself. The receipt is computed from the turn's
 * rows.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import type { ChatMessageRow } from '@truecast/store/internal/tables/chats';
import type { ObservedReceipt } from '../../contract/observed-work.ts';
import type { Receipt, RequestErrorCode } from '@truecast/client/internal/wire/receipt';
import { turnView } from '../../format/turn-view.ts';
import { endingError, endRequest } from '../../turn/end-request.ts';
import { toMessage } from './chat-records.ts';
import type { ChatUpdate } from './chat-update.ts';

/** The end of a request. The state machine adds the schema's hash and the duration. */
export type ReceiptEnding = Omit<
  Receipt,
  'request_id' | 'schema_hash' | 'value' | 'duration_ms' | 'status'
> & {
  readonly status: 'succeeded' | 'failed' | 'canceled';
};

/** Reason why the state machine ends a started request. */
export type EndingCode = Extract<
  RequestErrorCode,
  'interrupted' | 'superseded' | 'chat_deleted' | 'generation_failed' | 'deadline_exceeded' | 'internal'
>;

/** Computes the ending of the running request from the current rows. */
export async function endingOfTurn(
  { db, next }: ChatUpdate,
  requestId: string,
  code: EndingCode,
): Promise<ReceiptEnding> {
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
  const status = statusOf(code);
  const ending: ReceiptEnding = { status, error: endingError(code), attempts: [] };
  return { ...ending, ...factsOfTurn(rows, requestId) };
}

/** Facts of a receipt for observers, without its value. */
export function observedReceipt(
  { status, error, attempts, mode, model, usage }: ReceiptEnding,
  durationMs: number,
): Omit<ObservedReceipt, 'origin' | 'requestId'> {
  const reason = error?.reason ?? error?.code;
  return {
    status,
    attempts: attempts.map(({ code }) => code),
    ...(reason !== undefined && { reason }),
    ...(mode !== undefined && { mode }),
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
    ...(durationMs >= 0 && { durationMs }),
  };
}

/** Only an action of a client or owner counts as a cancellation. */
export function statusOf(code: RequestErrorCode): 'failed' | 'canceled' {
  return code === 'generation_failed' || code === 'deadline_exceeded' || code === 'internal'
    ? 'failed'
    : 'canceled';
}

/**
 * Progress of the turn. Empty if a row is unreadable, which must not block the repair or deletion
 * of a chat.
 */
function factsOfTurn(rows: readonly ChatMessageRow[], requestId: string): Partial<ReceiptEnding> {
  try {
    const ending = { type: 'failed', error: endingError('generation_failed') } as const;
    // The request row adds the hash and the duration.
    const facts = { requestId, schemaHash: '', durationMs: 0 };
    // Plan mode does not affect the progress.
    const view = turnView(rows.map(toMessage), { planMode: false });
    const { receipt } = endRequest(view, ending, facts);
    const { attempts, mode, model, dialect, usage } = receipt;
    return {
      attempts,
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model }),
      ...(dialect !== undefined && { dialect }),
      ...(usage !== undefined && { usage }),
    };
  } catch (error) {
    if (ChatStateError.isInstance(error)) return {};
    throw error;
  }
}
