/** Parts of a run for the sandbox contract: its handle, and one turn of an agent. */
import { command } from 'truecast/internal/agents/command';
import { stoppableHandle, type StoppableHandle } from 'truecast/internal/run/places/stoppable-handle';
import { runAgentTurn } from 'truecast/internal/run/turn/run-agent-turn';
import type { SandboxHandle } from 'truecast/internal/ports/sandbox-provider';

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
