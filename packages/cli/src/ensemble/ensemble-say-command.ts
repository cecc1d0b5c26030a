/** `truecast ensemble say`: sends a message into a run that another process plays. */
import { LedgerError } from '@truecast/core/internal/errors/ledger-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { leaveMessage } from '@truecast/ensemble/internal/conductor/visitor-inbox';
import { printLine, printResult, tell, type Terminal } from '../terminal/print.ts';
import { findRun, withLedger, type LedgerFlags } from './with-ledger.ts';

export interface EnsembleSayFlags extends LedgerFlags {
  readonly label?: string;
  readonly json?: boolean;
}

/**
 * Stores the message. The process that plays the run injects it, or the next process that resumes
 * the run.
 */
export async function ensembleSayCommand(
  { runId, text }: { readonly runId: string; readonly text: string },
  { label, json = false, ...flags }: EnsembleSayFlags,
  terminal: Terminal,
): Promise<void> {
  if (text.trim() === '') {
    throw new UsageError('Expected a message, got an empty one. Write it in quotation marks.');
  }
  await withLedger(flags, [], async (ledger) => {
    const run = await findRun(ledger, runId);
    if (run.end !== undefined) {
      throw new LedgerError(
        `The run \`${runId}\` has ended. Start a new one with \`truecast ensemble run\`.`,
        {
          code: 'run-finished',
        },
      );
    }
    const { id } = await leaveMessage(ledger, runId, { text, ...(label !== undefined && { label }) });
    if (json) await printResult({ runId, id }, terminal);
    else printLine(id, terminal);
    tell('The message is injected by the process that plays the run, or when it is resumed.', terminal);
  });
}
