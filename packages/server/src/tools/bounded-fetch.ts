/**
 * Fetch for MCP servers, which are untrusted: limits the bytes of a response, or of each event in a
 * stream, and the time of a request. The SDK reads a response without a limit, also after its
 * caller has given up.
 */

/** As in the SDK's transport over stdio. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024;

/** Creates a fetch whose POST requests end after `maxPostMs`. Streams of a GET have no end. */
export function createBoundedFetch(maxPostMs: number): typeof fetch {
  return async (input, init = {}) => {
    const signals = [init.signal, init.method === 'POST' ? AbortSignal.timeout(maxPostMs) : undefined];
    const signal = AbortSignal.any(signals.filter((each) => each instanceof AbortSignal));
    const response = await fetch(input, { ...init, signal });
    if (response.body === null) return response;
    const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    return new Response(response.body.pipeThrough(limitBytes(isEvents ? bytesSinceEvent() : allBytes())), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  };
}

/** Adds a chunk. Returns the bytes of the message so far. */
type CountBytes = (chunk: Uint8Array) => number;

function limitBytes(count: CountBytes): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  return new TransformStream({
    transform(chunk, controller) {
      if (count(chunk) <= MAX_MESSAGE_BYTES) controller.enqueue(chunk);
      else controller.error(new RangeError(`A message has more than ${MAX_MESSAGE_BYTES} bytes.`));
    },
  });
}

function allBytes(): CountBytes {
  let bytes = 0;
  return (chunk) => (bytes += chunk.length);
}

/** An empty line ends an event. Its line breaks can be in two chunks. */
function bytesSinceEvent(): CountBytes {
  let bytes = 0;
  let last = Buffer.alloc(0);
  return (chunk) => {
    const joined = Buffer.concat([last, chunk]);
    const end = Math.max(...['\n\n', '\r\r', '\n\r\n'].map((lines) => joined.lastIndexOf(lines)));
    bytes = end === -1 ? bytes + chunk.length : joined.length - end;
    last = Buffer.from(joined.subarray(-2));
    return bytes;
  };
}
