/** One task of a coding agent, with its span and its observer. Both treat it as a model call. */
import { EvidenceError } from '@truecast/core/internal/errors/base/run-evidence';
import type { Usage } from '@truecast/core/internal/kit/usage';
import type { AgentReply, AgentRunner, AgentTask } from '../agents/agent-runner.ts';
import type { WorkOrigin } from '../contract/observed-work.ts';
import { passTrace, type SpanStart, usageAttributes } from '@truecast/model/internal/telemetry/tracing';
import type { CallObserver } from './observed-step.ts';

/** Model name prefix of agents. */
export const AGENT_PREFIX = 'agent/';

/** Runs the task. The agent's environment continues the span, and a failed agent has a usage too. */
export async function observedAgent(
  runner: AgentRunner,
  task: AgentTask,
  { onCall, origin, trace = passTrace, processes, whileWaiting = (work) => work() }: CallObserver,
): Promise<AgentReply> {
  const { ownerId } = origin;
  const arrivedMs = performance.now();
  // A durable run has its own places, perhaps on another machine.
  const places = runner.isDurable === true ? undefined : processes;
  const isFull = places?.take(ownerId) === false;
  if (isFull) await whileWaiting(() => places.wait(ownerId, task.signal), task.signal);
  const startedMs = performance.now();
  const waited = isFull ? { waitedMs: startedMs - arrivedMs, waitedFor: 'process' as const } : {};
  const facts = { model: `${AGENT_PREFIX}${task.agent}`, origin, ...waited };
  const durationMs = (): number => performance.now() - startedMs;
  try {
    const reply = await trace(agentSpan(task, origin), async ({ set, ...headers }) => {
      const replied = await runner.run({ ...task, ...headers });
      set(usageAttributes(replied.usage));
      return replied;
    });
    onCall?.({ ...facts, outcome: 'stop', usage: reply.usage, durationMs: durationMs() });
    return reply;
  } catch (error) {
    onCall?.({ ...facts, outcome: 'failed', usage: usageOf(error), durationMs: durationMs(), error });
    throw error;
  } finally {
    places?.giveBack(ownerId);
  }
}

/** Returns the usage of an agent that failed. */
export function usageOf(error: unknown): Usage | undefined {
  return EvidenceError.isInstance(error) ? error.usage : undefined;
}

function agentSpan({ agent, model }: AgentTask, origin: WorkOrigin): SpanStart {
  return {
    name: `invoke_agent ${agent}`,
    kind: 'client',
    parent: origin,
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': agent,
      'gen_ai.request.model': model,
      'gen_ai.conversation.id': origin.chatId,
    },
  };
}
