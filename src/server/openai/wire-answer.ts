/** Owns what a request came to, before either API writes it down. Pure. */
import { NO_USAGE, totalTokens, type Usage } from '../../errors/usage.ts';
import type { AgentWork } from '../agents/agent-runner.ts';
import type { ToolCallPart } from '../contract/parts.ts';
import type { FinishReason } from '../contract/rows.ts';
import type { WireFailure } from './wire-failure.ts';

/** An answer. */
export interface WireAnswer {
  readonly type: 'answered';
  /** Text, or the validated value as JSON. */
  readonly text: string;
  /** For the caller to run. */
  readonly calls: readonly ToolCallPart[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls' | 'content_filter';
  /** Of all calls of the model. */
  readonly usage: Usage;
  /** What an agent left in its repository. */
  readonly work?: AgentWork;
}

/** An answer, or why there is none. */
export type WireOutcome = WireAnswer | { readonly type: 'failed'; readonly failure: WireFailure };

/** Makes an answer of text. */
export function textAnswer(text: string, usage: Usage = NO_USAGE): WireAnswer {
  return { type: 'answered', text, calls: [], finishReason: 'stop', usage };
}

/** Puts the reason why a model stopped in the words of the wire. */
export function wireFinishReason(reason: FinishReason, hasCalls: boolean): WireAnswer['finishReason'] {
  if (hasCalls) return 'tool_calls';
  if (reason === 'length') return 'length';
  return reason === 'content-filter' ? 'content_filter' : 'stop';
}

/** The field that tells of an agent's commits, which OpenAI's wire has no place for; clients pass over it. */
export function workField({ work }: WireAnswer): { readonly truecast?: AgentWork } {
  return work === undefined ? {} : { truecast: work };
}

/** Counts as the wire does: tokens of a cache are among those of the prompt. */
export function promptTokens(usage: Usage): number {
  return totalTokens(usage) - usage.outputTokens;
}
