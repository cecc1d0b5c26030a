/** Owns asking a chat server as a client does: a chat is created, and its receipt waited for. */
import { CHAT_FORMAT, CHAT_PROMPT } from '../inputs/chat-answer.ts';
import type { ChatHostReply } from './chat-host.ts';

/** A turn that was begun. */
interface BegunTurn {
  readonly chatId: string;
  readonly requestId: string;
}

/** Begins a chat whose turn ends with a value, waits for its receipt, and returns the value. */
export async function askChat(host: ChatHostReply): Promise<unknown> {
  const { chatId, requestId } = await beginTurn(host);
  return awaitReceipt(host, chatId, requestId);
}

/** Creates the chat by its first message. */
async function beginTurn(host: ChatHostReply): Promise<BegunTurn> {
  const body = { content: CHAT_PROMPT, response_format: CHAT_FORMAT };
  const begun = await askJson<{ chat: { id: string }; request_id: string }>(host, '/api/chats', body);
  return { chatId: begun.chat.id, requestId: begun.request_id };
}

/** Waits for the end of a turn, and returns the value of its receipt. */
async function awaitReceipt(host: ChatHostReply, chatId: string, requestId: string): Promise<unknown> {
  const path = `/api/chats/${chatId}/requests/${requestId}?wait=60`;
  const receipt = await askJson<{ status: string; value?: unknown }>(host, path);
  if (receipt.status !== 'succeeded') throw new Error(`A turn ended so: ${JSON.stringify(receipt)}`);
  return receipt.value;
}

/** `TAnswer` is the part of the documented answer that the bench reads. */
async function askJson<TAnswer>(
  { url, token }: ChatHostReply,
  path: string,
  body?: object,
): Promise<TAnswer> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`);
  return JSON.parse(text) as TAnswer;
}
