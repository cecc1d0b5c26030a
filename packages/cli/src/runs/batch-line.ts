/** Line of a results file for an item of a batch on a server. Pure. */
import type { ClientBatchResult } from '@truecast/client/internal/runs/client-batch';
import type { AgentRunReceipt } from '@truecast/client/internal/wire/runs/agent-run';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import { itemIdentity } from 'truecast/internal/run/batch/batch-result';
import type { BatchItem, BatchResult } from 'truecast/internal/run/batch/batch-queue';

/** The line of the results file, as `truecast batch` writes it. */
export function toLine(
  item: BatchItem,
  ended: ClientBatchResult,
  definition: AnyOutputDefinition | undefined,
): BatchResult {
  const { receipt } = ended;
  const work = { ...itemIdentity(item), ...workOf(receipt) };
  if (!('result' in ended)) return { ...work, status: 'failed', error: toError(ended.error, receipt) };
  const { output } = ended.result;
  const outcome = definition === undefined ? undefined : outcomeIn(output, definition)?.outcome;
  return { ...work, status: outcome === undefined || outcome === 'answered' ? 'ok' : outcome, output };
}

function workOf({
  commits,
  branch,
  usage,
  warnings,
  ...times
}: AgentRunReceipt): Omit<
  BatchResult,
  'status' | 'output' | 'error' | 'key' | 'line' | 'inputHash' | 'merged'
> {
  return {
    ...(warnings.length > 0 && { warnings }),
    commits: commits.map((sha) => ({ sha })),
    ...(branch !== undefined && commits.length > 0 && { branch }),
    ...(usage !== undefined && {
      usage: {
        inputTokens: usage.input_tokens,
        outputTokens: usage.output_tokens,
        cacheCreationInputTokens: usage.cache_creation_input_tokens,
        cacheReadInputTokens: usage.cache_read_input_tokens,
        ...(usage.cost_usd !== undefined && { costUsd: usage.cost_usd }),
      },
    }),
    startedAt: times.started_at ?? times.created_at,
    durationMs: times.duration_ms ?? 0,
  };
}

function toError(
  error: unknown,
  { attempts }: AgentRunReceipt,
): Extract<BatchResult, { status: 'failed' }>['error'] {
  const { name, message } = error instanceof Error ? error : { name: 'Error', message: String(error) };
  return {
    name,
    ...(TruecastError.isInstance(error) && { code: error.code }),
    message,
    ...(attempts.length > 0 && { attempts: attempts.map(({ code }) => code) }),
  };
}
