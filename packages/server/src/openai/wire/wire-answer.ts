/** Result of an OpenAI request, before it is encoded for either API. Pure. */
import { totalTokens, type Usage } from '@truecast/core/internal/kit/usage';
import type { AgentWork } from '../../agents/agent-runner.ts';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import type { RowFinish } from '../../contract/rows.ts';
import type { WireFailure } from './wire-failure.ts';

export interface WireAnswer {
  readonly type: 'answered';
  /** Text, or the validated value as JSON. */
  readonly text: string;
  /** Reasoning of the model, of an answer without a format. */
  readonly reasoning?: string;
  /** The model's refusal, which replaces the text. */
  readonly refusal?: string;
  /** Calls for the caller to run. */
  readonly calls: readonly ToolCallPart[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** Sum over all model calls. Undefined if the service reported none. */
  readonly usage: Usage | undefined;
  /** Changes that an agent left in its repository. */
  readonly work?: AgentWork;
  /** Durable run of the agent. */
  readonly runId?: string;
}

/** An answer, or the reason for its absence. */
export type WireOutcome = WireAnswer | { readonly type: 'failed'; readonly failure: WireFailure };

export function textAnswer(text: string, usage?: Usage): WireAnswer {
  return { type: 'answered', text, calls: [], finishReason: 'stop', usage };
}

/** Maps a finish reason to the wire's value. */
export function wireFinishReason(reason: RowFinish, hasCalls: boolean): WireAnswer['finishReason'] {
  if (hasCalls) return 'tool_calls';
  // The API has no separate reason for a reply that ran away.
  if (reason === 'length' || reason === 'runaway') return 'length';
  return reason === 'content_filter' ? 'content_filter' : 'stop';
}

/**
 * Extension field for an agent's run and commits. OpenAI's API has no field for them, and clients
 * ignore it.
 */
export function workField({ work, runId }: WireAnswer): { readonly truecast?: object } {
  if (work === undefined && runId === undefined) return {};
  return { truecast: { ...work, ...(runId !== undefined && { run_id: runId }) } };
}

/** Returns prompt tokens as the wire counts them, including cached tokens. */
export function promptTokens(usage: Usage): number {
  return totalTokens(usage) - usage.outputTokens;
}
