/** Sends an answer: as one body, or as a stream with keep-alives. */
import type { AnswerEncoder } from './write/answer-encoder.ts';
import type { AnswerWatch } from './answer/answer-text.ts';
import type { WireOutcome } from './wire/wire-answer.ts';
import { errorBody, errorHeaders, type WireFailure } from './wire/wire-failure.ts';

/** An answer and its transport. */
export interface SendSettings {
  readonly encoder: AnswerEncoder;
  /** Computes the answer. Never rejects. */
  answer(watch: AnswerWatch): Promise<WireOutcome>;
  /** Aborts when the caller disconnects or the server stops. */
  readonly signal: AbortSignal;
  /** Keep-alive interval of a stream in milliseconds. */
  readonly keepAliveMs: number;
  /** Fields of the request that this server does not use. */
  readonly ignored: readonly string[];
}

/** Clients limit the headers of an answer, often to 16 KiB. */
const MAX_NAMED = 40;

function ignoredHeader(ignored: readonly string[]): Readonly<Record<string, string>> {
  return ignored.length === 0 ? {} : { 'x-truecast-ignored': ignored.slice(0, MAX_NAMED).join(', ') };
}

/**
 * A stream that fails within this time gets an error status, which clients handle better than an
 * error event.
 */
const GRACE_MS = 2_000;

export function sendFailure(failure: WireFailure): Response {
  return Response.json(errorBody(failure), { status: failure.status, headers: errorHeaders(failure) });
}

/** Sends an answer as one body. */
export async function sendWhole({ encoder, answer, signal, ignored }: SendSettings): Promise<Response> {
  const outcome = await answer({ signal, onText: () => undefined });
  if (outcome.type === 'failed') return sendFailure(outcome.failure);
  return Response.json(encoder.whole(outcome), { headers: ignoredHeader(ignored) });
}

/** Sends an answer as a stream. The work stops when the caller disconnects. */
export async function sendStream(settings: SendSettings): Promise<Response> {
  const { encoder, keepAliveMs } = settings;
  const leaving = new AbortController();
  const signal = AbortSignal.any([settings.signal, leaving.signal]);
  const outbox = new Outbox(() => leaving.abort());
  const begun = Promise.withResolvers<undefined>();
  outbox.write(encoder.begin());
  const running = settings.answer({
    signal,
    onText(text) {
      outbox.write(encoder.text(text));
      begun.resolve(undefined);
    },
    onReasoning(text) {
      const event = encoder.reasoning(text);
      outbox.write(event);
      if (event !== '') begun.resolve(undefined);
    },
  });
  const grace = setTimeout(() => begun.resolve(undefined), GRACE_MS);
  const early = await Promise.race([running, begun.promise]);
  clearTimeout(grace);
  if (early?.type === 'failed') return sendFailure(early.failure);
  void keepAlive(running, outbox, settings.encoder, keepAliveMs);
  return new Response(outbox.stream, { headers: { ...STREAM_HEADERS, ...ignoredHeader(settings.ignored) } });
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

async function keepAlive(
  running: Promise<WireOutcome>,
  outbox: Outbox,
  encoder: AnswerEncoder,
  keepAliveMs: number,
): Promise<void> {
  const timer = setInterval(() => outbox.write(': keep-alive\n\n'), keepAliveMs);
  const outcome = await running;
  clearInterval(timer);
  outbox.write(outcome.type === 'failed' ? encoder.failed(outcome.failure) : encoder.end(outcome));
  outbox.close();
}

/** Buffers unread data. The model limits the size of an answer, so all of it can be buffered. */
class Outbox {
  readonly stream: ReadableStream<Uint8Array>;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly #encoder = new TextEncoder();

  constructor(onCancel: () => void) {
    this.stream = new ReadableStream({
      start: (controller) => {
        this.#controller = controller;
      },
      cancel: () => {
        this.#controller = undefined;
        onCancel();
      },
    });
  }

  write(text: string): void {
    if (text !== '') this.#controller?.enqueue(this.#encoder.encode(text));
  }

  close(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }
}
