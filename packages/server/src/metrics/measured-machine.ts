/** Metrics of the chat state machine, through which every change passes. */
import type { ChatMachine } from '../state/chat-machine.ts';
import type { ReceiptEnding } from '../state/rows/ending-of-turn.ts';
import type { ToolCallResult } from '../state/rows/tool-ledger.ts';
import type { ServerMetrics } from './server-metrics.ts';

/**
 * Wraps the state machine with `metrics`. Behaviour and errors are unchanged. Refusals are only
 * timed.
 */
export function measuredMachine(machine: ChatMachine, metrics: ServerMetrics): ChatMachine {
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
    sweep: async () => {
      const swept = await machine.sweep();
      if (swept.overdue > 0)
        metrics.answers.add({ status: 'failed', reason: 'deadline_exceeded' }, swept.overdue);
      return swept;
    },
    ...countedSteps(machine, metrics),
    ...countedEndings(machine, metrics),
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

function countedSteps(machine: ChatMachine, metrics: ServerMetrics): Steps {
  const timed = timer(metrics);
  return {
    commitStep: timed('commit_step', machine.commitStep),
    commitToolResults: timed('commit_tool_results', async (fence, commit) => {
      const committed = await machine.commitToolResults(fence, commit);
      for (const result of commit.results) {
        metrics.toolCalls.add({ run_by: 'server', outcome: outcomeOf(result) });
      }
      return committed;
    }),
    submitToolResults: timed('submit_tool_results', async (submission) => {
      const submitted = await machine.submitToolResults(submission);
      for (const { isError } of submission.results) {
        metrics.toolCalls.add({ run_by: 'client', outcome: isError === true ? 'error' : 'ok' });
      }
      return submitted;
    }),
    recordRetry: timed('record_retry', async (fence, retry) => {
      const next = await machine.recordRetry(fence, retry);
      if (retry.isDeferred === true) metrics.deferrals.add({});
      else metrics.retries.add({ kind: retry.error.kind });
      return next;
    }),
  };
}

type Endings = Pick<ChatMachine, 'finishTurn' | 'failTurn' | 'finishInterruption'>;

function countedEndings(machine: ChatMachine, metrics: ServerMetrics): Endings {
  const timed = timer(metrics);
  const count = (status: string, ending: ReceiptEnding | undefined): void => {
    metrics.turns.add({ status });
    if (ending !== undefined) countAnswer(metrics, ending);
  };
  return {
    finishTurn: timed('finish_turn', async (fence, finish) => {
      const chat = await machine.finishTurn(fence, finish);
      count('finished', finish?.ending);
      return chat;
    }),
    failTurn: timed('fail_turn', async (fence, finish) => {
      const chat = await machine.failTurn(fence, finish);
      count('error', finish.ending);
      return chat;
    }),
    finishInterruption: timed('finish_interruption', async (fence, kept) => {
      const chat = await machine.finishInterruption(fence, kept);
      count('interrupted', kept?.ending);
      return chat;
    }),
  };
}

function countAnswer(metrics: ServerMetrics, { status, error, attempts }: ReceiptEnding): void {
  metrics.answers.add({ status, reason: error?.reason ?? error?.code ?? 'none' });
  for (const { code } of attempts) metrics.submissions.add({ code });
}

function outcomeOf({ part, effect }: ToolCallResult): string {
  if (effect === 'unknown') return 'unknown';
  if (effect === 'no_effect') return 'not_run';
  return part.is_error ? 'error' : 'ok';
}
