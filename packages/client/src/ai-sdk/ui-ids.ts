/** Ids of UI messages, derived from the rows of a chat. Pure. */

import type { MessageView } from '../wire/message.ts';

/** Returns the id of a user's message: the one that its page chose, or one of the row. */
export function userMessageId({ id, client_id }: MessageView): string {
  return client_id ?? `user-${id}`;
}

/** Returns an id that the server accepts: at most 128 visible ASCII characters. */
export function toClientId(id: string): string {
  return encodeURIComponent(id).slice(0, 128);
}

/** Returns the id of the answer to a user's message. */
export function answerMessageId(userRowId: number): string {
  return `answer-${userRowId}`;
}

/** Returns the address of a user's message in a path. */
export function addressOf(id: string): number | `~${string}` {
  const digits = /^user-(\d{1,15})$/u.exec(id)?.[1];
  return digits === undefined ? `~${encodeURIComponent(toClientId(id))}` : Number(digits);
}
