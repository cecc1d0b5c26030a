/** End of a response: calls back once its body is read, canceled or cut. */

/**
 * Calls `leave` once the response has ended: its body was read, failed, was canceled by its reader, or
 * `cut` aborts. Returns the response to send.
 */
export function leaveWhenRead(response: Response, leave: () => void, cut?: AbortSignal): Response {
  const source: ReadableStream<Uint8Array> | null = response.body;
  const reader = source?.getReader();
  if (reader === undefined) {
    leave();
    return response;
  }
  const end = (): void => {
    cut?.removeEventListener('abort', stop);
    leave();
  };
  let stop = (): void => undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = () => {
          end();
          controller.error(cut?.reason);
          // The source can be gone already. Its reader has the reason.
          reader.cancel(cut?.reason).catch(() => undefined);
        };
        cut?.addEventListener('abort', stop);
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          end();
          controller.close();
        } catch (error) {
          end();
          throw error;
        }
      },
      async cancel(reason) {
        end();
        await reader.cancel(reason);
      },
    },
    // So that the end of a short body is seen, also if it has no reader.
    { highWaterMark: 2 },
  );
  return new Response(body, response);
}
