/** Test context of a tool call. */
import type { ToolContext } from './server-tool.ts';

export const context: ToolContext = {
  chatId: 'c',
  workspaceId: 'c',
  messageId: 1,
  ownerId: 'o',
  toolCallId: 't',
  signal: new AbortController().signal,
  whileWaiting: (wait) => wait(),
};
