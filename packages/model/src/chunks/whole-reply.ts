/**
 * Whole reply: joins an ordinary Chat Completions stream to the reply that the service sends without
 * a stream. Anything else is left to the provider's package. Pure.
 */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseBoundedJson } from '@truecast/core/internal/json/bounded-json';
import type { WatchedPiece } from '../runaway/watch-reply.ts';

type JsonObject = Readonly<Record<string, unknown>>;

interface JoinedCall {
  readonly id: string;
  readonly name: string;
  input: string;
}

/** Reads the lines of one stream. `take()` and `end()` return `false` for one that is not ordinary. */
export class WholeReply {
  readonly #onPiece: (piece: WatchedPiece) => boolean;
  #rest = '';
  #isEventOpen = false;
  #hasEnded = false;
  #head: JsonObject | undefined;
  #text = '';
  #reasoning = '';
  #call: JoinedCall | undefined;
  #finishReason: string | undefined;
  #usage: JsonObject | undefined;

  /** @param onPiece - returns false to end the reading */
  constructor(onPiece: (piece: WatchedPiece) => boolean) {
    this.#onPiece = onPiece;
  }

  /** Arguments of the call. Undefined without any. */
  get toolInputText(): string | undefined {
    return this.#call === undefined || this.#call.input === '' ? undefined : this.#call.input;
  }

  take(text: string): boolean {
    this.#rest += text;
    if (!text.includes('\n')) return true;
    const lines = this.#rest.split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.every((line) => this.#takeLine(line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  /** Returns the reply after the stream's end. */
  end(): JsonObject | false {
    const head = this.#head;
    const isWhole = this.#rest === '' && !this.#isEventOpen && this.#finishReason !== undefined;
    if (!isWhole || head === undefined) return false;
    const message = {
      role: 'assistant',
      content: this.#text,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(this.#call !== undefined && { tool_calls: [sentCall(this.#call)] }),
    };
    return {
      ...head,
      choices: [{ index: 0, message, finish_reason: this.#finishReason }],
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }

  #takeLine(line: string): boolean {
    if (line === '') {
      this.#isEventOpen = false;
      return true;
    }
    // A comment keeps the connection open.
    if (line.startsWith(':')) return true;
    if (!line.startsWith('data:') || this.#isEventOpen || this.#hasEnded) return false;
    this.#isEventOpen = true;
    const data = line.slice('data:'.length).trim();
    if (data !== '[DONE]') return this.takeChunk(parsed(data));
    this.#hasEnded = true;
    return true;
  }

  takeChunk(chunk: unknown): boolean {
    if (!isRecord(chunk) || chunk['error'] !== undefined || !isDescribed(chunk)) return false;
    const { choices, usage, id, created, model } = chunk;
    if (!Array.isArray(choices) || choices.length > 1) return false;
    this.#head ??= { id, created, model };
    if (isRecord(usage)) this.#usage = usage;
    else if (isSet(usage)) return false;
    const choice: unknown = choices[0];
    return choice === undefined || (isRecord(choice) && this.#takeChoice(choice));
  }

  #takeChoice({ delta, finish_reason: reason }: JsonObject): boolean {
    if (isSet(reason) && typeof reason !== 'string') return false;
    if (typeof reason === 'string') this.#finishReason = reason;
    if (!isSet(delta)) return true;
    return isRecord(delta) && this.#takeDelta(delta);
  }

  #takeDelta(delta: JsonObject): boolean {
    const { role, content, refusal, tool_calls: calls } = delta;
    const thought = delta['reasoning_content'] ?? delta['reasoning'];
    const isPlain = (!isSet(role) || role === 'assistant') && !isSet(refusal);
    if (!isPlain || !isTextOrUnset(content) || !isTextOrUnset(thought) || !isListOrUnset(calls)) return false;
    if (isFilled(thought)) {
      // The package would separate what it thought before and after the text.
      if (this.#text !== '' || this.#call !== undefined) return false;
      this.#reasoning += thought;
      if (!this.#onPiece({ type: 'reasoning-delta', id: 'reasoning-0', text: thought })) return false;
    }
    if (isFilled(content)) {
      if (this.#call !== undefined) return false;
      this.#text += content;
      if (!this.#onPiece({ type: 'text-delta', id: 'txt-0', text: content })) return false;
    }
    return !Array.isArray(calls) || calls.every((call) => isRecord(call) && this.#takeCall(call));
  }

  /** Takes a part of the one call. Several are left to the package. */
  #takeCall({ index, id, function: made, extra_content: extra }: JsonObject): boolean {
    if ((isSet(index) && index !== 0) || isSet(extra) || !isRecord(made)) return false;
    const { name, arguments: input } = made;
    if (!isTextOrUnset(input)) return false;
    if (this.#call === undefined) {
      if (!isFilled(id) || !isFilled(name)) return false;
      this.#call = { id, name, input: '' };
    } else if ((isFilled(id) && id !== this.#call.id) || (isFilled(name) && name !== this.#call.name)) {
      return false;
    }
    if (!isFilled(input)) return true;
    this.#call.input += input;
    return this.#onPiece({ type: 'tool-input-delta', id: this.#call.id, delta: input });
  }
}

/**
 * Reads a reply that the service sent without a stream. Returns false if it is not an ordinary one, and
 * else the arguments of its call.
 */
export function readWhole(
  text: string,
  onPiece: (piece: WatchedPiece) => boolean,
): { readonly toolInputText: string | undefined } | false {
  const reply = parsed(text);
  if (!isRecord(reply) || !Array.isArray(reply['choices'])) return false;
  const choice: unknown = reply['choices'][0];
  if (!isRecord(choice) || typeof choice['finish_reason'] !== 'string') return false;
  const { message, ...rest } = choice;
  const joined = new WholeReply(onPiece);
  const chunk = { ...reply, choices: [{ ...rest, delta: message }] };
  return joined.takeChunk(chunk) && joined.end() !== false ? { toolInputText: joined.toolInputText } : false;
}

function sentCall({ id, name, input }: JoinedCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: input } };
}

function parsed(data: string): unknown {
  const read = parseBoundedJson(data);
  return read.success ? read.value : undefined;
}

/** True if the members that describe the reply have their types. */
function isDescribed({ id, created, model }: JsonObject): boolean {
  return isTextOrUnset(id) && isTextOrUnset(model) && (!isSet(created) || Number.isSafeInteger(created));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function isTextOrUnset(value: unknown): boolean {
  return !isSet(value) || typeof value === 'string';
}

function isListOrUnset(value: unknown): boolean {
  return !isSet(value) || Array.isArray(value);
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
