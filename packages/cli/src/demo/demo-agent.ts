/** Agent of the demo: the offline agent with a mistake in its first answer. */
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { nodeProgramAgent } from '@truecast/testing/internal/node-program-agent';
import { OFFLINE_AGENT_PROGRAM } from '@truecast/testing/internal/offline-agent/offline-agent-provider';

/** Creates the agent. It pauses after each line, so that a person can follow. */
export function demoAgent(pauseMs: number): AgentProvider {
  return nodeProgramAgent({
    name: 'offline',
    node: process.execPath,
    programUrl: OFFLINE_AGENT_PROGRAM,
    args: () => ['--demo', String(pauseMs)],
  });
}
