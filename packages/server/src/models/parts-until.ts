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
  const opened = Promise.resolve(call).then(({ stream }) => stream.getReader());
  const cancel = (): void => {
    stop(undefined);
    // A cancelled stream ends its pending read. A stream that opens later is cancelled then.
    opened.then((reader) => reader.cancel()).catch(() => undefined);
  };
  signal.addEventListener('abort', cancel);
  try {
    if (signal.aborted) stop(undefined);
    const reader = await Promise.race([opened, aborted]);
    for (let next = await reader?.read(); next?.done === false; next = await reader?.read()) yield next.value;
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
