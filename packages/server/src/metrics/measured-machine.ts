/** Observer of the chat state machine, through which every change passes. */
import type { ObservedToolCall, ObservedTurn } from '../contract/observed-work.ts';
import type { ChatMachine } from '../state/chat-machine.ts';
import type { Chat } from '../state/rows/chat-records.ts';
import type { ToolCallResult } from '../state/rows/tool-ledger.ts';
import type { SettledFault } from '../state/turn-faults.ts';
import type { Fence } from '../state/rows/chat-update.ts';
import type { ServerMetrics } from './server-metrics.ts';

export interface ChangeObserver {
  readonly onTurn?: (turn: ObservedTurn) => void;
  /** Called with each result that a client submitted. */
  readonly onToolCall?: (call: ObservedToolCall) => void;
}

/**
 * Wraps the state machine with `metrics` and an observer. Behaviour and errors are unchanged.
 * Refusals are only timed.
 */
export function measuredMachine(
  machine: ChatMachine,
  metrics: ServerMetrics,
  observer: ChangeObserver = {},
): ChatMachine {
  const timed = timer(metrics);
  return {
    ...machine,
    createChat: timed('create_chat', machine.createChat),
    sendMessage: timed('send_message', machine.sendMessage),
    editMessage: timed('edit_message', machine.editMessage),
    deleteQueued: timed('delete_queued', machine.deleteQueued),
    promoteQueued: timed('promote_queued', machine.promoteQueued),
    interrupt: timed('interrupt', machine.interrupt),
    requestCompaction: timed('request_compaction', machine.requestCompaction),
    patchChat: timed('patch_chat', machine.patchChat),
    deleteChat: timed('delete_chat', machine.deleteChat),
    acquire: timed('acquire', machine.acquire),
    release: timed('release', machine.release),
    claimTool: timed('claim_tool', machine.claimTool),
    enterRequiresAction: timed('enter_requires_action', machine.enterRequiresAction),
    expireRequiresAction: timed('expire_requires_action', machine.expireRequiresAction),
    resumeQueue: timed('resume_queue', machine.resumeQueue),
    commitCompaction: timed('commit_compaction', machine.commitCompaction),
    ...countedSteps(machine, metrics, observer),
    ...countedEndings(machine, metrics, observer),
  };
}

type Change = (...args: never[]) => Promise<unknown>;

function timer(metrics: ServerMetrics): <T extends Change>(transition: string, change: T) => T {
  return (transition, change) => {
    const measured = async (...args: Parameters<typeof change>): Promise<unknown> => {
      const startedMs = performance.now();
      try {
        return await change(...args);
      } finally {
        metrics.observeChange(transition, (performance.now() - startedMs) / 1_000);
      }
    };
    // It has the signature of `change`.
    return measured as typeof change;
  };
}

type Steps = Pick<ChatMachine, 'commitStep' | 'commitToolResults' | 'submitToolResults' | 'recordRetry'>;

function countedSteps(machine: ChatMachine, metrics: ServerMetrics, { onToolCall }: ChangeObserver): Steps {
  const timed = timer(metrics);
  return {
    commitStep: timed('commit_step', machine.commitStep),
    commitToolResults: timed('commit_tool_results', async (fence, commit) => {
      const committed = await machine.commitToolResults(fence, commit);
      for (const result of commit.results) {
        metrics.toolCalls.inc({ run_by: 'server', outcome: outcomeOf(result) });
      }
      return committed;
    }),
    submitToolResults: timed('submit_tool_results', async (submission) => {
      const submitted = await machine.submitToolResults(submission);
      const origin = { ownerId: submission.owner, chatId: submission.chatId };
      for (const { isError } of submission.results) {
        const outcome = isError === true ? 'error' : 'ok';
        metrics.toolCalls.inc({ run_by: 'client', outcome });
        onToolCall?.({ origin, runBy: 'client', outcome });
      }
      return submitted;
    }),
    recordRetry: timed('record_retry', async (fence, retry) => {
      const next = await machine.recordRetry(fence, retry);
      if (retry.isDeferred === true) metrics.deferrals.inc({});
      else metrics.retries.inc({ kind: retry.error.kind });
      return next;
    }),
  };
}

type Endings = Pick<ChatMachine, 'finishTurn' | 'failTurn' | 'finishInterruption' | 'recordFault'>;

function countedEndings(machine: ChatMachine, metrics: ServerMetrics, { onTurn }: ChangeObserver): Endings {
  const timed = timer(metrics);
  const count = (status: ObservedTurn['status'], { traceparent }: Fence, chat: Chat): Chat => {
    const { ownerId, id: chatId, model, error } = chat;
    const origin = { ownerId, chatId, ...(traceparent !== undefined && { traceparent }) };
    metrics.turns.inc({ status });
    onTurn?.({
      origin,
      status,
      model,
      ...(error !== undefined && status === 'error' && { errorKind: error.kind }),
    });
    return chat;
  };
  const countFault = (
    { traceparent, chatId }: Parameters<ChatMachine['recordFault']>[0],
    fault: SettledFault,
    errorKind: string,
  ): void => {
    if (fault.type === 'retrying') return metrics.retries.inc({ kind: errorKind });
    const { status, ownerId, model } = fault;
    const origin = { ownerId, chatId, ...(traceparent !== undefined && { traceparent }) };
    metrics.turns.inc({ status });
    onTurn?.({ origin, status, model, ...(status === 'error' && { errorKind }) });
  };
  return {
    recordFault: timed('record_fault', async (fence, fault) => {
      const settled = await machine.recordFault(fence, fault);
      countFault(fence, settled, fault.error.kind);
      return settled;
    }),
    finishTurn: timed('finish_turn', async (fence, finish) =>
      count('finished', fence, await machine.finishTurn(fence, finish)),
    ),
    failTurn: timed('fail_turn', async (fence, finish) =>
      count('error', fence, await machine.failTurn(fence, finish)),
    ),
    finishInterruption: timed('finish_interruption', async (fence, kept) =>
      count('interrupted', fence, await machine.finishInterruption(fence, kept)),
    ),
  };
}

function outcomeOf({ part, effect }: ToolCallResult): string {
  if (effect === 'unknown') return 'unknown';
  if (effect === 'no_effect') return 'not_run';
  return part.is_error ? 'error' : 'ok';
}
