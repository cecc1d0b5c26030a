/**
 * Gathered replies: a reply that arrives as a stream, and that the provider's package reads as a whole,
 * because it reads a stream in twice the processor time, and the SDK in three times. A reply that is not
 * an ordinary one is handed over to them as a stream, as far as it came.
 */
import type { WatchedPiece } from '../runaway/watch-reply.ts';
import type { GenerateModel } from './generate-options.ts';
import type { OpenAICompatibleProvider } from '@ai-sdk/openai-compatible';
import type { SdkModel } from './sdk-terms.ts';
import { withBody } from './bounded-fetch.ts';
import { readWhole, WholeReply } from '../chunks/whole-reply.ts';

type ChatModel = ReturnType<OpenAICompatibleProvider['chatModel']>;

/** A model of `openAICompatible()`, in its parts. */
export interface OpenChat {
  /** Opens the model with another `fetch`. `isStreamed` asks for a stream where the package does not. */
  open(fetch: typeof globalThis.fetch, options: { readonly isStreamed: boolean }): Promise<ChatModel>;
  /** Sends a request, and returns the response as it came. */
  readonly send: typeof globalThis.fetch;
  /** Checks a response, and repairs it for the package's reader of streams. */
  check(response: Response, init: RequestInit | undefined): Promise<Response>;
}

/** A model, and the one that asks for whole replies. */
interface KnownChat extends OpenChat {
  gathering?: Promise<ChatModel>;
}

const chats = new WeakMap<GenerateModel, KnownChat>();

/** Remembers how a model is opened. */
export function rememberChat(model: GenerateModel, chat: OpenChat): void {
  chats.set(model, { ...chat });
}

/** One request whose reply is gathered. */
export interface Gathering {
  /** Asks for the whole reply. Its request fails if the reply is not an ordinary one. */
  readonly model: SdkModel;
  /** Arguments of the gathered reply's call. */
  toolInputText(): string | undefined;
  /** The model that reads the same response as a stream, without a request. Undefined before a response. */
  resumed(): Promise<SdkModel> | undefined;
}

interface Running {
  onPiece(piece: WatchedPiece): boolean;
  taken?: Taken;
}

/** Running requests by their signal, which the SDK passes to `fetch`: to open a model for each costs more. */
const running = new WeakMap<AbortSignal, Running>();

/**
 * Starts a request whose reply is gathered. Undefined for a model of another provider.
 *
 * @param signal - of this request only
 * @param onPiece - called for each piece. Returns false for a reply to be read as a stream
 */
export async function startGathering(
  model: GenerateModel,
  signal: AbortSignal,
  onPiece: OnPiece,
): Promise<Gathering | undefined> {
  const chat = chats.get(model);
  if (chat === undefined) return undefined;
  const request: Running = { onPiece };
  running.set(signal, request);
  chat.gathering ??= chat.open(gatherFrom(chat), { isStreamed: true });
  return {
    model: await chat.gathering,
    toolInputText: () => request.taken?.toolInputText,
    resumed() {
      const { taken } = request;
      if (taken === undefined) return undefined;
      return chat.open(async (_input, init) => chat.check(await taken.replay(), init), { isStreamed: false });
    },
  };
}

/** Creates the `fetch` that returns a whole reply, or rejects. */
function gatherFrom({ send }: OpenChat): typeof globalThis.fetch {
  return async (input, init) => {
    const request = init?.signal && running.get(init.signal);
    if (!request) throw new HandedOver();
    const taken = await send(input, init)
      .then((response) => take(response, request.onPiece))
      .catch((error: unknown): Taken => ({ replay: () => Promise.reject(error) }));
    request.taken = taken;
    if (taken.reply === undefined) throw new HandedOver();
    return new Response(taken.reply, JSON_REPLY);
  };
}

const JSON_REPLY = { headers: { 'content-type': 'application/json' } };

/** The reply is read as a stream instead. Nobody sees it. */
class HandedOver extends Error {}

/** A response, and its reply if it is an ordinary one. */
interface Taken {
  readonly reply?: string;
  readonly toolInputText?: string | undefined;
  /** Returns the response, to be read from its begin. */
  replay(): Promise<Response>;
}

type OnPiece = (piece: WatchedPiece) => boolean;

/** A longer reply, or one in more chunks, is handed over: what is kept is bounded. */
const MAX_KEPT_CHARS = 1_048_576;
const MAX_KEPT_CHUNKS = 8_192;

async function take(response: Response, onPiece: OnPiece): Promise<Taken> {
  const { ok, headers, body } = response;
  const type = headers.get('content-type') ?? '';
  const hasEvents = type.includes('event-stream');
  if (!ok || body === null || !(hasEvents || type.includes('json'))) {
    return { replay: () => Promise.resolve(response) };
  }
  const next = textsOf(body);
  const kept: string[] = [];
  const replay = (): Promise<Response> => Promise.resolve(withBody(response, toStream(kept, next)));
  const whole = new WholeReply(onPiece);
  try {
    for (let chars = 0; chars < MAX_KEPT_CHARS && kept.length < MAX_KEPT_CHUNKS;) {
      const text = await next();
      if (text === undefined) {
        return { ...(hasEvents ? joined(whole) : read(kept.join(''), onPiece)), replay };
      }
      kept.push(text);
      chars += text.length;
      if (hasEvents && !whole.take(text)) break;
    }
  } catch {
    // A stream that broke rejects again, where it is read again.
  }
  return { replay };
}

function joined(whole: WholeReply): Pick<Taken, 'reply' | 'toolInputText'> {
  const reply = whole.end();
  return reply === false ? {} : { reply: JSON.stringify(reply), toolInputText: whole.toolInputText };
}

function read(text: string, onPiece: OnPiece): Pick<Taken, 'reply' | 'toolInputText'> {
  const found = readWhole(text, onPiece);
  return found === false ? {} : { reply: text, ...found };
}

/** Returns the next text of a stream, or undefined after its end. */
function textsOf(body: ReadableStream<Uint8Array>): () => Promise<string | undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  return async () => {
    const { done, value } = await reader.read();
    if (!done) return decoder.decode(value, { stream: true });
    const last = decoder.decode();
    return last === '' ? undefined : last;
  };
}

/** Returns the texts that were read, and the rest as it comes. */
function toStream(
  kept: readonly string[],
  next: () => Promise<string | undefined>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  const first = kept.join('');
  return new ReadableStream({
    start(controller) {
      if (first !== '') controller.enqueue(encoder.encode(first));
    },
    async pull(controller) {
      const text = await next();
      if (text === undefined) controller.close();
      else controller.enqueue(encoder.encode(text));
    },
  });
}
