/** Ids of UI messages, derived from the rows of a chat. Pure. */

/** Returns the id of a user's message. */
export function userMessageId(rowId: number): string {
  return `user-${rowId}`;
}

/** Returns the id of the answer to a user's message. */
export function answerMessageId(userRowId: number): string {
  return `answer-${userRowId}`;
}

/** Returns the row of a user's message, if the id was derived from one. */
export function rowIdOf(id: string): number | undefined {
  const digits = /^user-(\d{1,15})$/u.exec(id)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
