/** Download of a chat: all of its messages as a file of JSON. */
import type { Client, MessageView } from '@truecast/client';

/** Maximum page size of the route. */
const PAGE_SIZE = 200;

/** Saves the messages of a chat. */
export async function saveChat(client: Client, chatId: string): Promise<void> {
  saveFile(`chat-${chatId}.json`, await readMessages(client, chatId));
}

async function readMessages(client: Client, chatId: string): Promise<readonly MessageView[]> {
  const all: MessageView[] = [];
  let hasMore = true;
  while (hasMore) {
    const after = all.at(-1)?.id ?? 0;
    const page = await client.chat({ id: chatId }).messages({ after, limit: PAGE_SIZE });
    all.push(...page.messages);
    hasMore = page.has_more && page.messages.length > 0;
  }
  return all;
}

function saveFile(name: string, value: unknown): void {
  const url = URL.createObjectURL(
    new Blob([JSON.stringify(value, undefined, 2)], { type: 'application/json' }),
  );
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
