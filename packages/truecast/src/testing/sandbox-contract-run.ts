/** Parts of a run for the sandbox contract: its handle, and one turn of an agent. */
import { command } from '../agents/command.ts';
import { stoppableHandle, type StoppableHandle } from '../run/places/stoppable-handle.ts';
import { runAgentTurn } from '../run/stages/run-agent-turn.ts';
import type { SandboxHandle } from '../ports/sandbox-provider.ts';

/** Wraps a handle as a run does. */
export function asInRun(handle: SandboxHandle): StoppableHandle {
  return stoppableHandle('contract', handle, {
    timeoutMs: 60_000,
    warn: () => undefined,
    afterClose: () => Promise.resolve(),
  });
}

/** Runs an agent that prints nothing, until its idle timeout. */
export async function runSilently(handle: StoppableHandle, line: string): Promise<void> {
  await runAgentTurn({
    agent: command({ command: line }),
    handle,
    command: { command: line },
    resumeSession: undefined,
    completionSignals: [],
    idleTimeoutMs: 300,
    completionTimeoutMs: 300,
    signal: new AbortController().signal,
    onText: () => undefined,
    onEvent: () => undefined,
    onRaw: () => undefined,
  });
}
