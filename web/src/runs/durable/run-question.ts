/** The question with which a durable run ended. Pure. */
import type { AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import { questionIn, type ShownQuestion } from '../../value/question-in.ts';

/** Returns the question, or undefined if the run ended otherwise. */
export function runQuestion({
  receipt,
  response_format: format,
}: Pick<AgentRunDetailView, 'receipt' | 'response_format'>): ShownQuestion | undefined {
  if (receipt?.value === undefined || format?.type !== 'json_schema') return undefined;
  return questionIn(receipt.value, JSON.stringify(format.json_schema.schema));
}
