/** Chat with the model `local:scripted`, created over HTTP and opened in the console. */
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { goTo, signIn, type ConsoleServer } from './console-fixture.ts';

const createdSchema = z.object({ chat: z.object({ id: z.string() }) });

/** Creates a chat with `content` as its first message, and opens it. */
export async function openChat(page: Page, server: ConsoleServer, content: string): Promise<void> {
  const { url, token } = server;
  await signIn(page, server);
  const response = await fetch(`${url}/api/chats`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ content, model: 'local:scripted' }),
  });
  const { chat } = createdSchema.parse(await response.json());
  await goTo(page, `chats/${chat.id}`);
}
