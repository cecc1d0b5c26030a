/** Notification of a committed change: the chat's new state, so that its listeners need no read. */
import { z } from 'zod';
import type { StoredChat } from '@truecast/store/internal/tables/chats';
import { parseJson } from '@truecast/core/internal/json/parse-json';

/** The state of a chat after a commit. As a hint it can be lost, or arrive late. */
export interface ChatNotice {
  readonly ownerId: string;
  readonly version: number;
  readonly status: string;
  readonly runner: string | null;
  /** Ids of requests that ended with the commit, or `ANY_REQUEST`. */
  readonly ended: readonly string[];
}

/** Stands for several ended requests of a queue, whose ids the commit did not read. */
export const ANY_REQUEST = '*';

const payloadSchema = z.tuple([
  z.string(),
  z.number(),
  z.string(),
  z.string().nullable(),
  z.array(z.string()),
  z.string(),
]);

/** Encodes the notification of a chat's commit. */
export function encodeChatNotice(
  { id, version, status, runner, owner }: StoredChat,
  ended: readonly string[],
): string {
  return JSON.stringify([id, version, status, runner, [...ended], owner] satisfies z.infer<
    typeof payloadSchema
  >);
}

/** Decodes a notification. Undefined for text that no process of Truecast sent. */
export function readChatNotice(
  payload: string,
): { readonly chatId: string; readonly notice: ChatNotice } | undefined {
  const json = parseJson(payload);
  const parsed = json.success ? payloadSchema.safeParse(json.value) : undefined;
  if (parsed?.success !== true) return undefined;
  const [chatId, version, status, runner, ended, ownerId] = parsed.data;
  return { chatId, notice: { ownerId, version, status, runner, ended } };
}

/** Returns true if the request might have ended with the commit, always without a notice. */
export function mayHaveEnded(notice: ChatNotice | undefined, requestId: string): boolean {
  return notice === undefined || notice.ended.includes(requestId) || notice.ended.includes(ANY_REQUEST);
}
