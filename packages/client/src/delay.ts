/** Cancellable delay. */

/** Waits. Rejects with the signal's reason. */
export async function delay(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(finish, ms);
    signal?.addEventListener('abort', stop, { once: true });
    function finish(): void {
      signal?.removeEventListener('abort', stop);
      resolve();
    }
    function stop(): void {
      clearTimeout(timer);
      reject(signal?.reason);
    }
  });
}

/** Returns a unique key. Works without a secure context too, where `randomUUID` is missing. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
