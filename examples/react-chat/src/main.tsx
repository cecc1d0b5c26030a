/** Example: a chat with `useChat` of the AI SDK, and one typed answer with `useAnswer`. */
import { toUIMessages } from '@truecast/client/ai-sdk';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { AnswerPage } from './answer-page.tsx';
import { ChatPage, type PageMessage } from './chat-page.tsx';
import { chatId, client, output, tools } from './connection.ts';

/** Messages before a reload. A new chat has none. */
async function readHistory(): Promise<PageMessage[]> {
  const { chats } = await client.listChats({ limit: 200 });
  const found = chats.find(({ client_id }) => client_id === chatId);
  if (found === undefined) return [];
  const chat = client.chat({ id: found.id });
  const { messages } = await chat.messages({ limit: 200 });
  const ids = messages.flatMap(({ request_id }) => request_id ?? []);
  const receipts = await Promise.all(ids.map((id) => chat.request(id)));
  const isFinal = (status: string): boolean => status !== 'queued' && status !== 'running';
  const final = receipts.filter(({ status }) => isFinal(status));
  return toUIMessages(messages, { receipts: final, output, tools });
}

const root = document.getElementById('root');
if (root !== null) {
  const history = await readHistory();
  createRoot(root).render(
    <StrictMode>
      <ChatPage history={history} />
      <AnswerPage />
    </StrictMode>,
  );
}
