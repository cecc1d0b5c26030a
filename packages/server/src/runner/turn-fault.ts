/**
 * Reaction to a fault: an error that no step of a turn handles. The turn is tried again, and ends
 * after the last try, so that its request has an answer or an error.
 */
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import type { Fence } from '../state/rows/chat-update.ts';
import type { ChatError } from '../state/rows/chat-records.ts';
import type { TurnResult } from './turn-run.ts';
import type { TurnPorts } from './turn-ports.ts';

const PAUSE_MS = 1_000;

const UNREADABLE =
  'A stored row of the chat cannot be read. Continue in a new chat, or ask the operator of the server to restore the database.';
const FAULTY =
  "The server could not run the turn. Send the message again. If that fails too, ask the operator: the server's log has the cause.";

/**
 * Returns true for an error that another try of the turn can meet again. The others pass by
 * themselves, and while they last nothing can be committed.
 */
export function isFault(error: unknown): boolean {
  if (StoreError.isInstance(error)) return error.code === 'query' || error.code === 'constraint';
  return !ChatStateError.isInstance(error) || error.code !== 'not-allowed';
}

/** Reports the fault, and schedules the next try or ends the turn. */
export async function settleFault(ports: TurnPorts, fence: Fence, cause: unknown): Promise<TurnResult> {
  const { machine, backoffFactor = 1, wakeLater, onEvent } = ports;
  const { chatId } = fence;
  const message = 'A turn stopped because of a server error. It is tried again, and then ends.';
  onEvent?.({ level: 'error', message, chatId, cause });
  const settled = await machine.recordFault(fence, {
    error: errorOf(cause),
    pauseMs: Math.round(PAUSE_MS * backoffFactor),
  });
  if (settled.type === 'ended') return 'ended';
  wakeLater?.(chatId, settled.delayMs);
  return 'retrying';
}

/** The cause can contain details of the server, so its text is only logged. */
function errorOf(cause: unknown): ChatError {
  const isUnreadable = ChatStateError.isInstance(cause) && cause.code === 'invalid-state';
  return { kind: 'internal', message: isUnreadable ? UNREADABLE : FAULTY, isRetryable: true };
}
