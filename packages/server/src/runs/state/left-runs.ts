/** Cancellation of runs of chats whose tool call needs no result any more, such as after an interruption. */
import { isDone } from '../../state/rows/chat-update.ts';
import { idOfCall } from '../../state/client-ids/derived-id.ts';
import type { StateDb } from '../../state/rows/machine-context.ts';
import { requestCancel } from './run-changes.ts';
import type { AgentRunContext } from './run-context.ts';

/**
 * Cancels running runs of chats without an open call. The turn does this itself, unless its worker was lost. A queued
 * run costs nothing until a worker has it.
 */
export async function cancelLeftRuns(context: AgentRunContext): Promise<void> {
  const { db } = context.store;
  const runs = await db
    .selectFrom('agent_runs')
    .select(['id', 'owner', 'parent_id'])
    .where('worker', 'is not', null)
    .where('status', '=', 'running')
    .where('relation', '=', 'chat')
    .execute();
  // A call is claimed before its run is created, and answered after its end.
  const open = await openCalls(db, new Set(runs.flatMap(({ parent_id: chatId }) => chatId ?? [])));
  for (const { id: runId, owner } of runs) {
    if (!open.has(runId)) await isDone(requestCancel(context, { owner, runId }));
  }
}

/** Returns the run ids of calls that wait for their result. */
async function openCalls(db: StateDb, chatIds: ReadonlySet<string>): Promise<ReadonlySet<string>> {
  if (chatIds.size === 0) return new Set();
  const calls = await db
    .selectFrom('tool_executions')
    .innerJoin('chats', 'chats.id', 'tool_executions.chat_id')
    .select(['chat_id', 'message_id', 'tool_call_id'])
    .where('chat_id', 'in', [...chatIds])
    .where('answered', '=', 0)
    // Its worker can be lost, and the next one only ends the turn.
    .where('chats.status', '<>', 'interrupting')
    .execute();
  return new Set(
    calls.map((call) =>
      idOfCall({ chatId: call.chat_id, messageId: call.message_id, toolCallId: call.tool_call_id }),
    ),
  );
}
