/** Client of a chat server: creates a chat and waits for its receipt. */
import { CHAT_FORMAT, CHAT_PROMPT } from '../inputs/chat-answer.ts';
import type { ChatHostReply } from './chat-host.ts';

const QUESTION = { content: CHAT_PROMPT, response_format: CHAT_FORMAT };

/** A started turn. */
interface BegunTurn {
  readonly chatId: string;
  readonly requestId: string;
}

/** Starts a chat whose turn ends with a value, waits for its receipt, and returns the value. */
export async function askChat(host: ChatHostReply): Promise<unknown> {
  const { chatId, requestId } = await beginTurn(host);
  return awaitReceipt(host, chatId, requestId);
}

/** Creates the chat with its first message. */
export async function beginTurn(host: ChatHostReply): Promise<BegunTurn> {
  const begun = await askJson<{ chat: { id: string }; request_id: string }>(host, '/api/chats', QUESTION);
  return { chatId: begun.chat.id, requestId: begun.request_id };
}

interface Receipt {
  readonly status: string;
  readonly value?: unknown;
}

/** Waits until a turn ends, and returns the value in its receipt. */
export async function awaitReceipt(host: ChatHostReply, chatId: string, requestId: string): Promise<unknown> {
  const path = `/api/chats/${chatId}/requests/${requestId}?wait=60`;
  const wait = (): Promise<Receipt> => askJson(host, path);
  let receipt = await wait();
  // A server on busy cores might need longer than one wait.
  for (let waits = 1; receipt.status === 'running' && waits < 3; waits += 1) receipt = await wait();
  if (receipt.status !== 'succeeded') throw new Error(`A turn ended so: ${JSON.stringify(receipt)}`);
  return receipt.value;
}

/** Sends the question to a chat and returns its request. */
export async function sendMessage(host: ChatHostReply, chatId: string): Promise<string> {
  const path = `/api/chats/${chatId}/messages`;
  return (await askJson<{ request_id: string }>(host, path, QUESTION)).request_id;
}

/** Returns the messages of a short chat, in order. */
export async function listMessageIds(host: ChatHostReply, chatId: string): Promise<number[]> {
  const path = `/api/chats/${chatId}/messages`;
  const page = await askJson<{ messages: { id: number }[] }>(host, path);
  return page.messages.map(({ id }) => id);
}

/** `TAnswer` is the part of the documented response that the bench reads. */
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
