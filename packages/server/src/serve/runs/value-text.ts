/** Text of a run's value: canonical JSON with the digits that the agent wrote. */
import { exactJson } from '@truecast/core/internal/output/finalizer/exact-json';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import type { ExecutionRecord } from 'truecast/internal/run/executions/execution-record';
import { restoreAnswer } from 'truecast/internal/run/executions/restore-answer';
import { lowerOutput } from 'truecast/internal/run/options/choose-mode';
import type { RunResultWithOutput } from 'truecast/internal/run/options/run-options';
import type { RunOutcome } from '../../runs/agent-executor.ts';
import { toRunOutput } from './run-output.ts';

/**
 * The agent's own text keeps digits that a parsed number would lose. If the text contains more than
 * the value, the value is serialized instead.
 */
export function valueText({
  output,
  provenance,
}: Pick<RunResultWithOutput<unknown>, 'output' | 'provenance'>): string {
  const written = canonicalJson(output);
  const parsed = parseJson(provenance.raw);
  return parsed.success && canonicalJson(parsed.value) === written ? exactJson(provenance.raw) : written;
}

/** Returns the accepted answer that an execution has stored, as evidence. Empty without one. */
export async function storedAnswer(
  record: Pick<ExecutionRecord, 'answer'> | undefined,
  request: CreateAgentRunBody,
  agent: AgentProvider,
): Promise<Pick<RunOutcome, 'valueText' | 'text'>> {
  const { answer } = record ?? {};
  const output = toRunOutput(request, agent);
  if (answer?.provenance === undefined || output === undefined) return {};
  const { nativeMode } = agent;
  const native = nativeMode && output._tag !== 'string' ? lowerOutput(output, nativeMode) : undefined;
  // Another version of the schema's validator can refuse it.
  const restored = await restoreAnswer(answer, output, native).catch(() => undefined);
  if (restored === undefined || typeof restored.value === 'string') return { text: answer.provenance.raw };
  return { valueText: valueText({ output: restored.value, provenance: restored.provenance }) };
}
