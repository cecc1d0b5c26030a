/** Wait that ends with its signal, whatever the work does. Pure. */

/**
 * Settles with the work, or rejects with the signal's reason as soon as it is aborted. The work itself
 * can continue, and its late failure is handled.
 */
export async function untilAborted<TValue>(work: Promise<TValue>, signal: AbortSignal): Promise<TValue> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
  });
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  try {
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
