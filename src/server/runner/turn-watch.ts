/** Owns knowing, while a worker works on a chat, that it may go on: signs of life, an interruption, a lease that was lost, a shutdown. */
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Fence } from '../state/chat-update.ts';

/** Why the work stops. */
export type StopReason = 'interrupting' | 'lost' | 'shutdown';

/** Watches one chat until it is disposed of. */
export interface TurnWatch extends Disposable {
  /** Fires when the work is to stop; `reason()` tells why. */
  readonly signal: AbortSignal;
  reason(): StopReason | undefined;
}

/** Begins to watch. The chat's row is asked at each sign of life, and whenever the chat is said to have changed. */
export function watchTurn(
  machine: ChatMachine,
  fence: Fence,
  { heartbeatMs, shutdown }: { readonly heartbeatMs: number; readonly shutdown: AbortSignal },
): TurnWatch {
  const controller = new AbortController();
  let reason: StopReason | undefined;
  const stop = (why: StopReason): void => {
    reason ??= why;
    controller.abort();
  };
  const look = (): void => {
    if (controller.signal.aborted) return;
    // A database that is away for a while is no reason to stop: the commit will tell.
    void machine.heartbeat(fence).then(
      (status) => {
        if (status !== 'running') stop(status);
      },
      () => undefined,
    );
  };
  const onShutdown = (): void => stop('shutdown');
  if (shutdown.aborted) onShutdown();
  shutdown.addEventListener('abort', onShutdown);
  const timer = setInterval(look, heartbeatMs);
  const forget = machine.onChat(fence.chatId, look);
  return {
    signal: controller.signal,
    reason: () => reason,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      forget();
      shutdown.removeEventListener('abort', onShutdown);
    },
  };
}
