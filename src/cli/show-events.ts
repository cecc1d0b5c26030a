/** Owns what a person sees of a run under way: a live line where stderr is a terminal, a line a step where it is not. */
import type { RunEvent } from '../run/run-events.ts';
import { createTerminalLine, type TerminalLine } from '../run/logging/terminal-line.ts';
import { tell, type Terminal } from './print.ts';

/** Shows the events of a run until it ends; never fails, since the run's own promise tells its failure. */
export async function showEvents(
  events: AsyncIterable<RunEvent>,
  terminal: Terminal,
  { isQuiet }: { readonly isQuiet: boolean },
): Promise<void> {
  const line = createTerminalLine({ stream: terminal.stderr });
  try {
    for await (const event of events) if (!isQuiet) showEvent(event, line, terminal);
  } catch {
    // The run's promise rejects with the same failure, where it is handled.
  } finally {
    line.close();
  }
}

function showEvent(event: RunEvent, line: TerminalLine, terminal: Terminal): void {
  line.update(event);
  const text = describeEvent(event);
  if (text === undefined) return;
  line.clear();
  tell(text, terminal);
}

function describeEvent(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'run-start':
      return `${event.agent} in ${event.sandbox} on ${event.branch}${event.logFilePath === undefined ? '' : ` (log: ${event.logFilePath})`}`;
    case 'sandbox-ready':
      return event.egress === undefined ? undefined : `egress: ${event.egress}`;
    case 'attempt-end':
      return event.code === 'ok' ? undefined : `attempt ${event.attempt}: ${event.message}`;
    case 'warning':
      return `warning: ${event.message}`;
    default:
      return undefined;
  }
}
