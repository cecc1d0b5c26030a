/** Watchdog of a worker on a chat: heartbeats, interruption, lost lease, shutdown. */
import { STOPS, type StopReason } from '../agents/stop-reason.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Fence } from '../state/rows/chat-update.ts';
import type { Standing } from '../state/leases.ts';

/** Watches one chat until it is disposed. */
export interface TurnWatch extends Disposable {
  /**
   * Aborts when the work must stop, with one of `STOPS`; `reason()` returns why. Without a reason, the
   * worker has already left the turn.
   */
  readonly signal: AbortSignal;
  reason(): StopReason | undefined;
}

/** Starts the watch. The chat's row is read at each heartbeat. Notifications carry its state. */
export function watchTurn(
  machine: ChatMachine,
  fence: Fence,
  { heartbeatMs, shutdown }: { readonly heartbeatMs: number; readonly shutdown: AbortSignal },
): TurnWatch {
  const controller = new AbortController();
  let reason: StopReason | undefined;
  const stop = (why: StopReason): void => {
    reason ??= why;
    controller.abort(STOPS[reason]);
  };
  const ask = (standing: () => Promise<Standing>): void => {
    if (controller.signal.aborted) return;
    // An unreachable database is not a reason to stop, because the next commit shows whether the
    // lease is valid.
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
  const forget = machine.onChat(fence.chatId, (notice) => {
    if (notice === undefined) return ask(() => machine.readStanding(fence));
    // A notification of a commit before the lease can arrive after it.
    if (notice.version <= fence.version) return undefined;
    if (notice.runner !== fence.runner) return stop('lost');
    return notice.status === 'interrupting' ? stop('interrupting') : undefined;
  });
  return {
    signal: controller.signal,
    reason: () => reason,
    [Symbol.dispose]: () => {
      // After a failure of another call in its batch, a tool must not continue without supervision.
      controller.abort(STOPS.unwatched);
      clearInterval(timer);
      forget();
      shutdown.removeEventListener('abort', onShutdown);
    },
  };
}
