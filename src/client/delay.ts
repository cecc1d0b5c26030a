/** Owns waiting, until a time is over or a signal says to stop. */

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

/** Makes a key that nobody else makes; also where a page has no secure context, and so no `randomUUID`. */
export function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
