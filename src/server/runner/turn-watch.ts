/** Owns knowing, while a worker works on a chat, that it may go on: signs of life, an interruption, a lease that was lost, a shutdown. */
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Fence } from '../state/chat-update.ts';
import type { Standing } from '../state/leases.ts';

/** Why the work stops. */
export type StopReason = 'interrupting' | 'lost' | 'shutdown';

/** Watches one chat until it is disposed of. */
export interface TurnWatch extends Disposable {
  /** Fires when the work is to stop; `reason()` tells why. Without a reason, the turn has been left already. */
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
  const ask = (standing: () => Promise<Standing>): void => {
    if (controller.signal.aborted) return;
    // A database that is away for a while is no reason to stop: the commit will tell.
    void standing().then(
      (status) => {
        if (status !== 'running') stop(status);
      },
      () => undefined,
    );
  };
  const onShutdown = (): void => stop('shutdown');
  if (shutdown.aborted) onShutdown();
  shutdown.addEventListener('abort', onShutdown);
  const timer = setInterval(() => ask(() => machine.heartbeat(fence)), heartbeatMs);
  // Most hints are of the worker's own commits: a sign of life for each would be a second write to the disk.
  const forget = machine.onChat(fence.chatId, () => ask(() => machine.readStanding(fence)));
  return {
    signal: controller.signal,
    reason: () => reason,
    [Symbol.dispose]: () => {
      // A tool whose turn was left over a failure beside it must not run on with nobody to stop it.
      controller.abort();
      clearInterval(timer);
      forget();
      shutdown.removeEventListener('abort', onShutdown);
    },
  };
}
