/**
 * Stream repair: completes the replies of servers that stream differently from OpenAI's service, so
 * that the SDK reads them.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson, parseJsonObject } from '@truecast/core/internal/json/parse-json';
import { isOdd, plainLine } from './odd-chunks.ts';

type JsonObject = Readonly<Record<string, unknown>>;

export function asksForStream(body: unknown): boolean {
  return typeof body === 'string' && parseJsonObject(body)['stream'] === true;
}

/** Converts a whole reply to a stream of one piece, for servers that ignore `stream`. */
export function toEventStream(reply: JsonObject): Response {
  const streamed = listIn(withTextArguments(reply, 'message'), 'choices').map((choice) => {
    const { message, ...rest } = choice;
    const delta = isRecord(message) ? message : {};
    const numbered = listIn(delta, 'tool_calls').map((call, index) => ({ index, ...call }));
    return { ...rest, delta: { ...delta, ...(numbered.length > 0 && { tool_calls: numbered }) } };
  });
  const chunk = JSON.stringify({ ...reply, choices: streamed });
  return eventStream(new Blob([`data: ${chunk}\n\ndata: [DONE]\n\n`]).stream());
}

/**
 * Converts the arguments of tool calls to text: servers also send JSON, or leave them out in whole
 * replies.
 */
export function withTextArguments(reply: JsonObject, key: 'message' | 'delta'): JsonObject {
  if (!Array.isArray(reply['choices'])) return reply;
  const choices = listIn(reply, 'choices').map((choice) => {
    const said = choice[key];
    if (!isRecord(said) || !Array.isArray(said['tool_calls'])) return choice;
    return { ...choice, [key]: { ...said, tool_calls: listIn(said, 'tool_calls').map(withText) } };
  });
  return { ...reply, choices };
}

function withText(call: JsonObject): JsonObject {
  const made = call['function'];
  if (!isRecord(made) || typeof made['arguments'] === 'string') return call;
  const input = made['arguments'] ?? undefined;
  return { ...call, function: { ...made, arguments: input === undefined ? '' : JSON.stringify(input) } };
}

/**
 * Adds the `finish_reason` that some servers leave out, if the stream came to its end: with
 * `[DONE]`, or with a complete JSON object or list.
 */
export function withFinishReason(body: ReadableStream<Uint8Array>): Response {
  const state: StreamState = { hasChoice: false, hasFinished: false, pending: [] };
  // One stream of bytes: a stream each for decoding and encoding costs more than the repair.
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  // Pieces of a line without its end. Joined once, because a hostile line can have many.
  let rest: string[] = [];
  const repair = new TransformStream<Uint8Array, Uint8Array>({
    transform(bytes, controller) {
      const text = decoder.decode(bytes, { stream: true });
      rest.push(text);
      if (!text.includes('\n')) return;
      const lines = rest.join('').split('\n');
      rest = [lines.pop() ?? ''];
      const repaired = lines.map((line) => `${repairedLine(line, state)}\n`).join('');
      if (repaired !== '') controller.enqueue(encoder.encode(repaired));
    },
    flush(controller) {
      const end = rest.join('') + decoder.decode();
      const last = end === '' ? '' : repairedLine(end, state);
      const finish = !state.hasFinished && isWhole(state.pending) ? `\n\ndata: ${FINISH}\n\n` : '';
      if (last + finish !== '') controller.enqueue(encoder.encode(last + finish));
    },
  });
  return eventStream(body.pipeThrough(repair));
}

const FINISH = '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}';

interface StreamState {
  hasChoice: boolean;
  hasFinished: boolean;
  /** Data before the end. */
  readonly pending: string[];
}

function repairedLine(line: string, state: StreamState, isPlain = false): string {
  if (!line.startsWith('data:')) return line;
  const data = line.slice('data:'.length).trim();
  if (data === '[DONE]') {
    const isMissing = state.hasChoice && !state.hasFinished;
    state.hasFinished = true;
    return isMissing ? `data: ${FINISH}\n\n${line}` : line;
  }
  if (!isPlain && isOdd(data)) return repairedLine(plainLine(line, data), state, true);
  state.hasChoice ||= data.includes('"choices"');
  state.hasFinished ||= /"finish_reason"\s*:\s*"|"error"\s*:/u.test(data);
  if (state.hasFinished) state.pending.length = 0;
  else state.pending.push(data);
  if (!/"arguments"\s*:\s*[[{]/u.test(data)) return line;
  return `data: ${JSON.stringify(withTextArguments(parseJsonObject(data), 'delta'))}`;
}

/**
 * Returns true if the text or the arguments are a complete JSON object or list. A number can
 * continue.
 */
function isWhole(pending: readonly string[]): boolean {
  const deltas = pending
    .flatMap((data) => listIn(withTextArguments(parseJsonObject(data), 'delta'), 'choices'))
    .map(({ delta }) => (isRecord(delta) ? delta : {}));
  const said = deltas.map(({ content }) => (typeof content === 'string' ? content : '')).join('');
  const inputs = deltas
    .flatMap((delta) => listIn(delta, 'tool_calls'))
    .map((call) => (isRecord(call['function']) ? String(call['function']['arguments']) : ''))
    .join('');
  return [said, inputs].some((text) => /^\s*[[{]/u.test(text) && parseJson(text).success);
}

function listIn(value: JsonObject, key: string): readonly JsonObject[] {
  const list = value[key];
  return Array.isArray(list) ? list.map((entry: unknown) => (isRecord(entry) ? entry : {})) : [];
}

function eventStream(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
