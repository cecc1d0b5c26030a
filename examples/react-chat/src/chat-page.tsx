/** A chat with `useChat` of the AI SDK: growing values, receipts, and a tool of the page. */
import { useChat } from '@ai-sdk/react';
import { createChatTransport, type InferPageTools, type TruecastUIMessage } from '@truecast/client/ai-sdk';
import { useChatEvents, ValuePanel } from '@truecast/client/react';
import { lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { useMemo } from 'react';
import type { z } from 'zod';
import { bug, chatId, client, output, tools } from './connection.ts';

const FILES: ReadonlyMap<string, string> = new Map([['src/loop.ts', 'while (i <= 3) i += 1;']]);
const transport = createChatTransport(client, { output, tools });

/** Messages of the page. */
export type PageMessage = TruecastUIMessage<z.infer<typeof bug>, InferPageTools<typeof tools>>;

export function ChatPage({ history }: { readonly history: PageMessage[] }) {
  const chat = useChat<PageMessage>({
    id: chatId,
    messages: history,
    transport,
    resume: history.length > 0,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall({ toolCall: { toolCallId, input } }) {
      const { path } = tools.look.inputSchema.parse(input);
      void chat.addToolOutput({ tool: 'look', toolCallId, output: FILES.get(path) ?? null });
    },
  });
  return (
    <section aria-label="Chat">
      {chat.messages.map((message) => (
        <article key={message.id} aria-label={message.role}>
          {message.parts.map((part, index) => (
            <Part key={index} part={part} />
          ))}
        </article>
      ))}
      <p role="status">{chat.status}</p>
      {chat.error && <p role="alert">{chat.error.message}</p>}
      <button onClick={() => void chat.sendMessage({ text: 'Which file has the bug?' })}>Send</button>
      <button onClick={() => void chat.regenerate()}>Regenerate</button>
      <button onClick={() => void chat.stop()}>Stop</button>
      <ServerStatus id={chat.messages.at(-1)?.metadata?.chatId} />
    </section>
  );
}

function Part({ part }: { readonly part: PageMessage['parts'][number] }) {
  switch (part.type) {
    case 'text':
      return <p>{part.text}</p>;
    case 'tool-look':
      return <p>{`look ${part.input?.path ?? ''}: ${part.state}`}</p>;
    case 'data-refused':
      return <pre data-refused="">{JSON.stringify(part.data.issues)}</pre>;
    case 'data-partial':
      return <ValuePanel schema={bug} draft={part.data} />;
    case 'data-receipt':
      return <ValuePanel schema={bug} receipt={part.data} />;
    default:
      return null;
  }
}

/** Status of the chat on the server, from its events. */
function ServerStatus({ id }: { readonly id: string | undefined }) {
  const chat = useMemo(() => (id === undefined ? undefined : client.chat({ id })), [id]);
  const { status, messages } = useChatEvents(chat);
  return <p data-server-status={status}>{`${messages.length} rows on the server`}</p>;
}
