/**
 * Progress display of a batch: a live line with an estimate on a terminal, else one line per item.
 */
import type { BatchProgress, BatchSummary } from 'truecast/internal/run/batch/batch-options';
import type { BatchResult } from 'truecast/internal/run/batch/batch-queue';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { describeOutcome } from './terminal/ask-person.ts';
import { tell, type Terminal } from './terminal/print.ts';
import { tellSensitiveChanges } from './terminal/tell-sensitive-changes.ts';

export interface BatchProgressView {
  update(progress: BatchProgress): void;
  /** Erases the live line. Idempotent. */
  close(): void;
}

const WIPE = '\r\u001B[2K';

/** Starts the display. With `isQuiet` only failures and sensitive changes are shown. */
export function createBatchProgressView(
  terminal: Terminal,
  { isQuiet }: { readonly isQuiet: boolean },
): BatchProgressView {
  const { stderr } = terminal;
  const isLive = stderr.isTTY === true && !isQuiet;
  let isShown = false;
  const close = (): void => {
    if (isShown) stderr.write(WIPE);
    isShown = false;
  };
  return {
    update(progress) {
      const { result } = progress;
      const changes = result?.sensitiveChanges ?? [];
      const isShownAlways = (result !== undefined && result.status !== 'ok') || changes.length > 0;
      if (result !== undefined && (isShownAlways || (!isLive && !isQuiet))) {
        close();
        tell(describeResult(result, progress), terminal, result.status === 'ok' ? 'good' : 'bad');
        tellSensitiveChanges(changes, terminal);
      }
      if (!isLive) return;
      stderr.write(`${WIPE}${describeProgress(progress).slice(0, (stderr.columns ?? 80) - 1)}`);
      isShown = true;
    },
    close,
  };
}

function describeResult(result: BatchResult, progress: BatchProgress): string {
  const name = result.id === undefined ? `line ${result.line}` : `line ${result.line} (${result.id})`;
  const seconds = `${(result.durationMs / 1000).toFixed(1)} s`;
  const line = `${countOf(progress)} ${name}: ${describeStatus(result)} (${seconds})`;
  return line.replaceAll(/\p{Cc}/gu, ' ');
}

function describeStatus(result: BatchResult): string {
  if (result.status === 'failed') {
    return `failed, ${result.error.code ?? result.error.name}: ${result.error.message}`;
  }
  return result.status === 'ok' ? 'ok' : `${result.status}: ${cut(describeOutcome(result.output))}`;
}

function describeProgress(progress: BatchProgress): string {
  const { failed, running, remainingMs } = progress;
  const parts = [
    `${countOf(progress)} done`,
    failed > 0 ? `${failed} failed` : undefined,
    `${running} running`,
    describeUsage(progress),
    remainingMs === undefined ? undefined : `about ${describeTime(remainingMs)} left`,
  ];
  return parts.filter((part) => part !== undefined).join(' · ');
}

/** Returns the batch result as one line. */
export function describeSummary(summary: BatchSummary): string {
  const { ok, question, declined, failed, elapsedMs } = summary;
  const { okEarlier, questionEarlier, declinedEarlier, failedEarlier } = summary;
  const finishedEarlier = okEarlier + questionEarlier + declinedEarlier;
  const parts = [
    `${ok} ok`,
    question > 0 ? `${question} with a question` : undefined,
    declined > 0 ? `${declined} declined` : undefined,
    `${failed} failed`,
    finishedEarlier > 0 ? `${finishedEarlier} finished earlier` : undefined,
    failedEarlier > 0 ? `${failedEarlier} failed earlier (--retry-failed runs them again)` : undefined,
    describeUsage(summary),
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

function describeUsage({ usage }: BatchSummary): string | undefined {
  if (usage === undefined) return undefined;
  const tokens =
    usage.inputTokens + usage.outputTokens + usage.cacheCreationInputTokens + usage.cacheReadInputTokens;
  const money = usage.costUsd === undefined ? '' : `, $${usage.costUsd.toFixed(2)}`;
  return `${tokens} tokens${money}`;
}

/** Formats a duration as `42 s`, `3 min` or `2.5 h`. */
function describeTime(durationMs: number): string {
  const seconds = durationMs / 1000;
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  return seconds < 6_000 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3_600).toFixed(1)} h`;
}
