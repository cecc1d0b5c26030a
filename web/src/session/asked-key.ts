/** Key of the first message of a chat that was created in this tab, among the queries. */
export function askedKey(chatId: string): readonly string[] {
  return ['asked', chatId];
}
