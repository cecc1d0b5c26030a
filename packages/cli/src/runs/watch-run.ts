/**
 * Wait for an agent run: shows its progress on stderr, and prints its answer on stdout, with the exit codes
 * of `truecast run`.
 */
import type { ClientRun, ClientRunResult } from '@truecast/client/internal/runs/client-run';
import type { AgentRunReceipt } from '@truecast/client/internal/wire/runs/agent-run';
import { RunEndedError } from '@truecast/core/internal/errors/run-ended-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import { explained, type ConnectFlags } from '../serve/connect-server.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { EXIT, printResult, printText, tell, type Terminal } from '../terminal/print.ts';
import { createEventLines } from './event-lines.ts';
import { tellRetry } from './tell-retry.ts';

export interface WaitFlags extends ConnectFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Waits, and prints the answer. @throws RunEndedError without one */
export async function watchRun(
  run: ClientRun<unknown>,
  flags: WaitFlags,
  terminal: Terminal,
  output?: AnyOutputDefinition,
): Promise<void> {
  const leave = tellHowToContinue(run.id, terminal);
  try {
    if (flags.quiet !== true) await explained(showEvents(run, terminal));
    const result = await explained(run.result({ onRetry: tellRetry(terminal) }));
    tellWork(result.receipt, terminal);
    await printAnswer(result, flags, terminal);
    const outcome = output && outcomeIn(result.output, output);
    if (outcome?.outcome === 'question') process.exitCode = EXIT.question;
    if (outcome?.outcome === 'declined') process.exitCode = EXIT.declined;
  } catch (error) {
    if (RunEndedError.isInstance(error)) tellEnding(error, terminal);
    throw error;
  } finally {
    leave();
  }
}

/** The run continues when the command is stopped. */
function tellHowToContinue(id: string, terminal: Terminal): () => void {
  const onSignal = (): void => {
    tell(`The run continues. To wait for it: ${OWN_COMMAND} runs watch ${id}`, terminal);
    process.exit(EXIT.interrupted);
  };
  process.once('SIGINT', onSignal);
  return () => void process.off('SIGINT', onSignal);
}

async function showEvents(run: ClientRun<unknown>, terminal: Terminal): Promise<void> {
  const toLines = createEventLines();
  for await (const { event } of run.events({ onRetry: tellRetry(terminal) })) {
    for (const { text, meaning } of toLines(event)) tell(text, terminal, meaning);
  }
}

async function printAnswer(
  { output, commits, branch, receipt }: ClientRunResult<unknown>,
  { json }: WaitFlags,
  terminal: Terminal,
): Promise<void> {
  const isText = receipt.value_text === undefined;
  if (json === true) await printResult({ output, commits, branch, receipt }, terminal);
  else if (isText && typeof output === 'string') printText(`${output}\n`, terminal);
  else await printResult(output, terminal);
}

function tellWork({ commits, branch = '' }: AgentRunReceipt, terminal: Terminal): void {
  const count = `${commits.length} commit${commits.length === 1 ? '' : 's'}`;
  if (commits.length === 0) tell('No commits.', terminal, 'aside');
  else tell(`${count} on ${branch} of the server's repository`, terminal);
}

function tellEnding({ receipt }: RunEndedError, terminal: Terminal): void {
  // The client has validated it.
  const { error, commits, branch } = receipt as AgentRunReceipt;
  if (error?.detail !== undefined) tell(error.detail, terminal, 'aside');
  if (commits.length > 0) tell(`The work is kept: ${commits.length} commits on ${branch}`, terminal, 'aside');
}
