/** Stream of one turn's chunks, with values that the caller's own schema accepted. */
import type { ClientChat } from '../client-chat.ts';
import type { RequestedAnswer } from './requested-answer.ts';
import { TurnChunks, type FollowedTurn } from './turn-chunks.ts';
import type { TruecastChunk } from './ui-message.ts';

/** How to follow a turn. */
export interface StreamTurnOptions extends FollowedTurn {
  readonly chat: ClientChat;
  /** Position in the chat's events before the turn. */
  readonly since: string;
  readonly answer: RequestedAnswer | undefined;
  /** Ends the stream. With `stopEndsTurn` it ends the turn on the server too. */
  readonly signal: AbortSignal | undefined;
  readonly stopEndsTurn: boolean;
}

/** Opens the stream. Canceling it leaves the turn running. */
export function streamTurn(options: StreamTurnOptions): ReadableStream<TruecastChunk> {
  const { chat, signal, stopEndsTurn } = options;
  const leaving = new AbortController();
  const stop = (): void => {
    leaving.abort(signal?.reason);
    // The server refuses this if the turn has just ended.
    if (stopEndsTurn) void chat.interrupt().catch(() => undefined);
  };
  if (signal?.aborted === true) stop();
  else signal?.addEventListener('abort', stop, { once: true });
  const chunks = turnChunks(options, leaving.signal);
  const leave = (): void => signal?.removeEventListener('abort', stop);
  return new ReadableStream<TruecastChunk>({
    async pull(controller) {
      const next = await chunks.next().catch((error: unknown) => {
        leave();
        if (!leaving.signal.aborted) throw error;
        return { done: false, value: ABORTED } as const;
      });
      if (next.done !== true) return controller.enqueue(next.value);
      leave();
      controller.close();
    },
    cancel() {
      leave();
      leaving.abort();
    },
  });
}

const ABORTED: TruecastChunk = { type: 'abort' };

async function* turnChunks(
  { chat, since, answer, ...start }: StreamTurnOptions,
  signal: AbortSignal,
): AsyncGenerator<TruecastChunk, void, undefined> {
  const turn = new TurnChunks(start);
  for await (const received of chat.events({ lastEventId: since, signal })) {
    for (const chunk of turn.push(received)) {
      const typed = answer === undefined ? chunk : await answer.open(chunk, start.chatId);
      yield typed;
      if (typed.type === 'error') return;
    }
    if (turn.isEnded) return;
  }
}
