/** The AI SDK's chat without a page, whose every chunk is checked by the SDK's own schema. */
import {
  AbstractChat,
  uiMessageChunkSchema,
  type ChatInit,
  type ChatState,
  type ChatTransport,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';

/** A chat as `useChat` has it. */
export class UiChat<TMessage extends UIMessage> extends AbstractChat<TMessage> {
  constructor({ messages = [], ...init }: ChatInit<TMessage>) {
    super({ ...init, state: plainState(messages) });
  }
}

function plainState<TMessage extends UIMessage>(messages: TMessage[]): ChatState<TMessage> {
  const state: ChatState<TMessage> = {
    status: 'ready',
    error: undefined,
    messages: [...messages],
    pushMessage: (message) => void state.messages.push(message),
    popMessage: () => void state.messages.pop(),
    replaceMessage: (index, message) => {
      state.messages[index] = structuredClone(message);
    },
    snapshot: (value) => structuredClone(value),
  };
  return state;
}

/** Chunks that a transport streamed. */
export interface SeenChunks<TMessage extends UIMessage> {
  readonly transport: ChatTransport<TMessage>;
  readonly chunks: UIMessageChunk[];
}

/** Wraps a transport: records its chunks, and rejects one that the AI SDK's schema does not accept. */
export function seeChunks<TMessage extends UIMessage>(
  transport: ChatTransport<TMessage>,
): SeenChunks<TMessage> {
  const chunks: UIMessageChunk[] = [];
  const see = (stream: ReadableStream<UIMessageChunk>): ReadableStream<UIMessageChunk> =>
    stream.pipeThrough(
      new TransformStream({
        async transform(chunk, controller) {
          await assertChunk(chunk);
          chunks.push(chunk);
          controller.enqueue(chunk);
        },
      }),
    );
  return {
    chunks,
    transport: {
      ...(transport.resumeStreamIsReplay !== undefined && {
        resumeStreamIsReplay: transport.resumeStreamIsReplay,
      }),
      sendMessages: async (options) => see(await transport.sendMessages(options)),
      async reconnectToStream(options) {
        const stream = await transport.reconnectToStream(options);
        return stream === null ? null : see(stream);
      },
    },
  };
}

/** Throws if the AI SDK's schema does not accept the chunk. */
async function assertChunk(chunk: UIMessageChunk): Promise<void> {
  const result = await uiMessageChunkSchema().validate?.(chunk);
  if (result?.success !== true) {
    throw new TypeError(`Not a chunk: ${JSON.stringify(chunk)}`, { cause: result });
  }
}

/** Parts without the members that the AI SDK leaves undefined. */
export function plainParts(message: UIMessage | undefined): unknown {
  return JSON.parse(JSON.stringify(message?.parts ?? null));
}
