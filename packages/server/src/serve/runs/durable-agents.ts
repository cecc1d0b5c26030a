/** Runs coding agents for the server as durable runs: creates one run per task, and waits for its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EvidenceError } from '@truecast/core/internal/errors/base/run-evidence';
import { ChatStateError } from '@truecast/core/internal/errors/chat-state-error';
import { StoreError } from '@truecast/core/internal/errors/store-error';
import {
  StructuredOutputError,
  type StructuredOutputErrorCode,
} from '@truecast/core/internal/errors/structured-output-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { compileJsonSchema } from '@truecast/core/internal/schema/engine/compile-json-schema';
import type { AgentReply, AgentRunner, AgentTask } from '../../agents/agent-runner.ts';
import { isLeft } from '../../agents/stop-reason.ts';
import { createAgentRunSchema } from '../../contract/agent-run-body.ts';
import { fromReceiptUsage } from '../../contract/receipt.ts';
import { CLIENT_SCHEMA_LIMITS } from '../../format/schema-problems.ts';
import { hashOfSchema } from '../../http/new-message.ts';
import { withBudget } from '../../http/routes/runs/run-budget.ts';
import type { RunOffers } from '../../runs/agent-executor.ts';
import { isEndedRun } from '../../runs/run-transitions.ts';
import type { NewRun } from '../../runs/state/run-changes.ts';
import type { RunMachine } from '../../runs/state/run-machine.ts';
import type { RunRecord } from '../../runs/state/run-records.ts';

export interface DurableAgents {
  readonly machine: Pick<RunMachine, 'createRun' | 'requestCancel' | 'waitForRun'>;
  readonly offers: RunOffers;
  readonly agents: readonly string[];
  /** Name of the repository in which they work. */
  readonly repository: string;
  /** Maximum time per task. */
  readonly timeoutMs: number;
}

const RETRY_MS = 1_000;

/** A durable run ended without a result. The code is that of the run with hyphens, as `RunEndedError` has it. */
class FailedAgentRun extends EvidenceError {
  override readonly name: string = 'FailedAgentRun';
}

/** Creates the runner. A task and its run have the same id, so a repeated task finds the run again. */
export function durableAgents(parts: DurableAgents): AgentRunner {
  return {
    isDurable: true,
    list: () => parts.agents,
    async run(task) {
      const { machine } = parts;
      const { signal, caller } = task;
      const { owner } = caller;
      const run = newRun(parts, task);
      signal.throwIfAborted();
      const { id: runId, branch } = await outliveOutage(() => machine.createRun(run), signal);
      task.onBranch?.(branch);
      const wait = { owner, runId, waitMs: Infinity, signal };
      const ended = await outliveOutage(() => machine.waitForRun(wait), signal);
      if (isEndedRun(ended.status)) return toReply(ended);
      if (!isLeft(signal)) await cancel(machine, { owner, runId });
      throw signal.reason;
    },
  };
}

/**
 * Returns the run of a task.
 *
 * @throws UsageError for a task that cannot be a run, SchemaError for its schema
 */
function newRun({ repository, timeoutMs, offers }: DurableAgents, task: AgentTask): NewRun {
  const { agent, model, prompt, output, caller } = task;
  const asked = {
    repository,
    agent,
    ...(model !== undefined && { model }),
    prompt,
    ...(output !== undefined && formOf(output)),
    limits: { timeout_seconds: Math.max(1, Math.ceil(timeoutMs / 1_000)) },
  };
  const parsed = createAgentRunSchema.safeParse(asked);
  if (!parsed.success) {
    throw new UsageError(`The task cannot be a run of an agent: ${z.prettifyError(parsed.error)}`);
  }
  return {
    id: caller.taskId,
    owner: caller.owner,
    parent: caller.parent,
    request: withBudget(parsed.data, offers),
    ...(output !== undefined && { schemaHash: hashOfSchema(output.schema) }),
  };
}

function formOf({ name, description, schema, isWrapped }: NonNullable<AgentTask['output']>): object {
  // The value is checked with these limits before the run can succeed.
  compileJsonSchema(schema, CLIENT_SCHEMA_LIMITS);
  const json_schema = { name, ...(description !== undefined && { description }), schema };
  return {
    response_format: { type: 'json_schema', json_schema },
    ...(isWrapped === true && { is_wrapped: true }),
  };
}

/** The run continues while this process cannot reach the database. */
async function outliveOutage<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isOutage = StoreError.isInstance(error) && error.code !== 'query' && error.code !== 'constraint';
      if (!isOutage) throw error;
    }
    await sleep(RETRY_MS, undefined, { signal });
  }
}

/** A run whose answer is accepted ends with it. */
async function cancel(
  machine: DurableAgents['machine'],
  run: { readonly owner: string; readonly runId: string },
): Promise<void> {
  try {
    await machine.requestCancel(run);
  } catch (error) {
    if (!ChatStateError.isInstance(error)) throw error;
  }
}

/** @throws FailedAgentRun, StructuredOutputError */
function toReply(run: RunRecord): AgentReply {
  const { id: runId, error, branch, valueText, result } = run;
  const { commits = [], warnings = [], text = '' } = result ?? {};
  const usage = run.usage === undefined ? {} : { usage: fromReceiptUsage(run.usage) };
  if (error !== undefined) {
    const message = `${error.detail ?? error.message} The run is \`${runId}\`.`;
    const evidence = { branch, commits: commits.map((sha) => ({ sha })), ...usage };
    if (error.code === 'structured_output_not_produced') {
      const code = toHyphens(error.reason ?? 'not_produced') as StructuredOutputErrorCode;
      throw new StructuredOutputError(message, { code, ...evidence });
    }
    throw new FailedAgentRun(message, { code: toHyphens(error.code), ...evidence });
  }
  return {
    text: valueText ?? text,
    ...usage,
    ...(commits.length + warnings.length > 0 && {
      work: { branch, commits, ...(warnings.length > 0 && { warnings }) },
    }),
    runId,
  };
}

function toHyphens(code: string): string {
  return code.replaceAll('_', '-');
}
