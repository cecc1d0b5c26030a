/**
 * Stream repair: completes the replies of servers that stream differently from OpenAI's service, so
 * that the SDK reads them.
 */
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';

/** Returns true if a request's body asks for a stream. */
export function asksForStream(body: unknown): boolean {
  if (typeof body !== 'string') return false;
  const parsed = parseJson(body);
  return parsed.success && isRecord(parsed.value) && parsed.value['stream'] === true;
}

/** Converts a whole reply to a stream of one piece, for servers that ignore `stream`. */
export function toEventStream(reply: Readonly<Record<string, unknown>>): Response {
  const choices = Array.isArray(reply['choices']) ? reply['choices'] : [];
  const streamed = choices.map((choice: unknown) => {
    const { message, ...rest } = isRecord(choice) ? choice : {};
    const delta = isRecord(message) ? message : {};
    const calls = Array.isArray(delta['tool_calls']) ? delta['tool_calls'] : undefined;
    const numbered = calls?.map((call: unknown, index) => ({ index, ...(isRecord(call) ? call : {}) }));
    return { ...rest, delta: { ...delta, ...(numbered !== undefined && { tool_calls: numbered }) } };
  });
  const chunk = JSON.stringify({ ...reply, choices: streamed });
  return eventStream(new Blob([`data: ${chunk}\n\ndata: [DONE]\n\n`]).stream());
}

/** Adds the `finish_reason` that some servers leave out, if the stream came to its end. */
export function withFinishReason(body: ReadableStream<Uint8Array>): Response {
  const state = { hasChoice: false, hasFinished: false };
  let rest = '';
  const repair = new TransformStream<string, string>({
    transform(piece, controller) {
      const lines = `${rest}${piece}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) controller.enqueue(`${repairedLine(line, state)}\n`);
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(repairedLine(rest, state));
    },
  });
  const bytes: ReadableWritablePair<string, Uint8Array> = new TextDecoderStream();
  return eventStream(body.pipeThrough(bytes).pipeThrough(repair).pipeThrough(new TextEncoderStream()));
}

const FINISH = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

function repairedLine(line: string, state: { hasChoice: boolean; hasFinished: boolean }): string {
  if (!line.startsWith('data:')) return line;
  if (line.slice('data:'.length).trim() === '[DONE]')
    return state.hasChoice && !state.hasFinished ? `data: ${FINISH}\n\n${line}` : line;
  state.hasChoice ||= line.includes('"choices"');
  state.hasFinished ||= /"finish_reason"\s*:\s*"|"error"\s*:/u.test(line);
  return line;
}

function eventStream(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
