/**
 * Progress display of a batch: on a terminal a row for each running item above one with the totals, else one
 * line per item that ended.
 */
import type { BatchProgress, BatchSummary } from 'truecast/internal/run/batch/batch-options';
import type { BatchItem, BatchResult } from 'truecast/internal/run/batch/batch-queue';
import type { RunEvent } from 'truecast/internal/run/events/run-events';
import { isLiveTerminal, screenOf } from 'truecast/internal/run/logging/terminal-screen';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { createBatchRows, labelOf } from './batch-rows.ts';
import { describeOutcome } from './ask-person.ts';
import { tell, type Terminal } from './print.ts';
import { describeTime, describeUsage } from './describe-work.ts';
import { tellSensitiveChanges } from './tell-sensitive-changes.ts';

export interface BatchProgressView {
  update(progress: BatchProgress): void;
  /** Applies an event of an item's run. */
  see(event: RunEvent, item: BatchItem): void;
  /** Writes to stdout, which can be the same terminal, without a row in between. */
  around(write: () => void): void;
  /** Erases the rows. Idempotent. */
  close(): void;
}

export interface BatchProgressOptions {
  /** Shows only failures and sensitive changes. */
  readonly isQuiet: boolean;
  /** Attempts at an answer of each item. */
  readonly maxAttempts: number;
}

/** Starts the display. */
export function createBatchProgressView(
  terminal: Terminal,
  { isQuiet, maxAttempts }: BatchProgressOptions,
): BatchProgressView {
  const { stderr } = terminal;
  const screen = isLiveTerminal(stderr) && !isQuiet ? screenOf(stderr) : undefined;
  const owner = {};
  const rows = createBatchRows(maxAttempts);
  let totals = '';
  let isClosed = false;
  const show = (): void => {
    if (!isClosed) screen?.show(owner, () => [...rows.describe(), totals]);
  };
  const around = (write: () => void): void => {
    if (screen === undefined) write();
    else screen.around(write);
  };
  return {
    update(progress) {
      const { result } = progress;
      const changes = result?.sensitiveChanges ?? [];
      const isShownAlways = (result !== undefined && result.status !== 'ok') || changes.length > 0;
      if (result !== undefined && (isShownAlways || (screen === undefined && !isQuiet))) {
        around(() => {
          tell(describeResult(result, progress), terminal, result.status === 'ok' ? 'good' : 'bad');
          tellSensitiveChanges(changes, terminal);
        });
      }
      totals = describeProgress(progress);
      show();
    },
    see(event, item) {
      if (screen === undefined) return;
      rows.see(event, item);
      show();
    },
    around,
    close() {
      isClosed = true;
      screen?.leave(owner);
    },
  };
}

function describeResult(result: BatchResult, progress: BatchProgress): string {
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s`;
  const line = `${countOf(progress)} ${labelOf(result)}: ${describeStatus(result)} (${seconds})`;
  return line.replaceAll(/\p{Cc}/gu, ' ');
}

function describeStatus(result: BatchResult): string {
  if (result.status === 'failed') {
    return `failed, ${result.error.code ?? result.error.name}: ${result.error.message}`;
  }
  return result.status === 'ok' ? 'ok' : `${result.status}: ${cut(describeOutcome(result.output))}`;
}

function describeProgress(progress: BatchProgress): string {
  const { failed, running, landing = 0, remainingMs } = progress;
  const parts = [
    `${countOf(progress)} done`,
    failed > 0 ? `${failed} failed` : undefined,
    `${running} running`,
    landing > 0 ? `${landing} landing` : undefined,
    describeUsage(progress.usage),
    remainingMs === undefined ? undefined : `about ${describeTime(remainingMs)} left`,
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** Returns the batch result as one line. `canRetry`: the command can repeat failed items. */
export function describeSummary(summary: BatchSummary, { canRetry }: { readonly canRetry: boolean }): string {
  const { ok, question, declined, failed, elapsedMs } = summary;
  const { okEarlier, questionEarlier, declinedEarlier, failedEarlier } = summary;
  const finishedEarlier = okEarlier + questionEarlier + declinedEarlier;
  const parts = [
    `${ok} ok`,
    question > 0 ? `${question} with a question` : undefined,
    declined > 0 ? `${declined} declined` : undefined,
    `${failed} failed`,
    finishedEarlier > 0 ? `${finishedEarlier} finished earlier` : undefined,
    failedEarlier > 0
      ? `${failedEarlier} failed earlier${canRetry ? ' (--retry-failed runs them again)' : ''}`
      : undefined,
    describeUsage(summary.usage),
    describeTime(elapsedMs),
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

function countOf(summary: BatchSummary): string {
  const { ok, question, declined, failed, total } = summary;
  const { okEarlier, questionEarlier, declinedEarlier, failedEarlier } = summary;
  const now = ok + question + declined + failed;
  const done = now + okEarlier + questionEarlier + declinedEarlier + failedEarlier;
  return total === undefined ? String(done) : `${done}/${total}`;
}
