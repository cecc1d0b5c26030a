/** Claims of tool calls: at most one execution, unless the tool is idempotent. */
import type { ToolExecutionRow } from '@truecast/store/internal/tables/chats';
import { refusal, updateChat, type ChatUpdate, type Fence } from './rows/chat-update.ts';
import type { MachineContext } from './rows/machine-context.ts';
import type { ToolCallKey } from './rows/tool-ledger.ts';

/** A call to execute. */
export interface ToolClaim extends ToolCallKey {
  readonly inputHash: string;
}

/**
 * `claimed`: run it. `unknown`: the result of an earlier run was lost, and the caller must commit
 * that. `done`: its result exists.
 */
export type ClaimOutcome = 'claimed' | 'unknown' | 'done';

/**
 * Claims a call before it runs.
 *
 * A call that was claimed before and has no result becomes `unknown`, unless it is idempotent: it
 * never silently runs twice.
 *
 * @throws ChatStateError `input-changed` if the arguments differ from those of the step
 */
export function claimTool(context: MachineContext, fence: Fence, claim: ToolClaim): Promise<ClaimOutcome> {
  return updateChat(context, fence.chatId, 'claimTool', { fence }, async (update) => {
    const call = await readCall(update, claim);
    if (call.input_hash !== claim.inputHash) {
      const message =
        'The arguments differ from those of the step. Run the call with the arguments of its message.';
      throw refusal(update, 'input-changed', message, { subject: claim.toolCallId });
    }
    if (call.answered === 1) return 'done';
    const mayRun = call.status === 'reserved' || call.idempotent === 1;
    await writeCall(update, claim, {
      status: mayRun ? 'running' : 'unknown',
      runner: fence.runner,
      started_at: call.started_at ?? update.now,
    });
    return mayRun ? 'claimed' : 'unknown';
  });
}

/** Result text for a call whose result was lost. */
export function markUnknown(context: MachineContext, fence: Fence, key: ToolCallKey): Promise<void> {
  return updateChat(context, fence.chatId, 'markUnknown', { fence }, async (update) => {
    const { answered } = await readCall(update, key);
    if (answered === 0) await writeCall(update, key, { status: 'unknown' });
  });
}

async function readCall(
  update: ChatUpdate,
  { messageId, toolCallId }: ToolCallKey,
): Promise<ToolExecutionRow> {
  const row = await update.db
    .selectFrom('tool_executions')
    .selectAll()
    .where('chat_id', '=', update.chat.id)
    .where('message_id', '=', messageId)
    .where('tool_call_id', '=', toolCallId)
    .executeTakeFirst();
  if (row !== undefined) return row;
  const message = 'No committed step contains this tool call. Commit the step with its calls first.';
  throw refusal(update, 'unexpected-tool-result', message, { subject: toolCallId });
}

async function writeCall(
  { db, chat }: ChatUpdate,
  { messageId, toolCallId }: ToolCallKey,
  columns: Partial<Pick<ToolExecutionRow, 'status' | 'runner' | 'started_at'>>,
): Promise<void> {
  await db
    .updateTable('tool_executions')
    .set(columns)
    .where('chat_id', '=', chat.id)
    .where('message_id', '=', messageId)
    .where('tool_call_id', '=', toolCallId)
    .execute();
}
