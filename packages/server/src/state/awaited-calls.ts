/** Reads the calls that a chat expects from its client. */
import type { ToolCallPart } from '../contract/parts.ts';
import { callsOf } from '../contract/turn-rows.ts';
import { toMessage } from './rows/chat-records.ts';
import type { StateDb } from './rows/machine-context.ts';

/**
 * Reads the calls that the client must answer, in order, without the rest of the history. `db` must
 * be one consistent snapshot.
 */
export async function awaitedCalls(db: StateDb, chatId: string): Promise<ToolCallPart[]> {
  const awaited = await db
    .selectFrom('tool_executions')
    .select(['message_id', 'tool_call_id'])
    .where('chat_id', '=', chatId)
    .where('answered', '=', 0)
    .where('run_by', '=', 'client')
    .execute();
  const ids = new Set(awaited.map(({ message_id }) => message_id));
  if (ids.size === 0) return [];
  const rows = await db
    .selectFrom('chat_messages')
    .selectAll()
    .where('chat_id', '=', chatId)
    .where('id', 'in', Array.from(ids))
    .orderBy('id')
    .execute();
  const keys = new Set(awaited.map(({ message_id, tool_call_id }) => `${message_id} ${tool_call_id}`));
  return rows
    .map(toMessage)
    .flatMap(({ id, parts }) => callsOf(parts).filter((call) => keys.has(`${id} ${call.tool_call_id}`)));
}
