/** Reads the parts of a model call until its signal aborts, also if the provider ignores the signal. */

/** A call that was sent. */
interface StreamedCall<T> {
  readonly stream: ReadableStream<T>;
}

/**
 * Reads the parts. Ends early after an abort. Cancels the stream if its reader leaves.
 *
 * @yields each part
 */
export async function* partsUntil<T>(
  signal: AbortSignal,
  call: PromiseLike<StreamedCall<T>>,
): AsyncGenerator<T, void> {
  const { promise: aborted, resolve: stop } = Promise.withResolvers<undefined>();
  let reader: ReadableStreamDefaultReader<T> | undefined;
  const cancel = (): void => {
    stop(undefined);
    // A cancelled stream ends its pending read.
    reader?.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', cancel);
  try {
    if (signal.aborted) stop(undefined);
    reader = (await Promise.race([call, aborted]))?.stream.getReader();
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) yield next.value;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
