/** Tag around the answer in the text of a durable run's agent. Pure. */
import type { AgentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';

/** The tag of an agent that has neither a schema mode nor tools. Only its worker knows that. */
const DEFAULT_TAG = 'result';

/** Returns the tag. Undefined if the answer does not come between tags, or has no fields. */
export function answerTag({
  tag,
  mode,
  response_format: format,
}: Pick<AgentRunDetailView, 'tag' | 'mode' | 'response_format'>): string | undefined {
  if (format?.type !== 'json_schema') return undefined;
  return tag ?? (mode === undefined ? DEFAULT_TAG : undefined);
}
