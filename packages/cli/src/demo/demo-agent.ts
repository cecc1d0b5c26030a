/** Agent of the demo: the offline agent with a mistake in its first answer. */
import type { AgentProvider } from 'truecast/internal/ports/agent-provider';
import { nodeProgramAgent } from 'truecast/internal/testing/node-program-agent';

/** Creates the agent. It pauses after each line, so that a person can follow. */
export function demoAgent(pauseMs: number): AgentProvider {
  return nodeProgramAgent({
    name: 'offline',
    node: process.execPath,
    // A separate file. In the sources it is next to the agent's provider, in the build next to this
    // file.
    programUrl: new URL(
      import.meta.url.endsWith('.ts')
        ? '../../../truecast/src/testing/offline-agent/offline-agent.ts'
        : './offline-agent.mjs',
      import.meta.url,
    ),
    args: () => ['--demo', String(pauseMs)],
  });
}
