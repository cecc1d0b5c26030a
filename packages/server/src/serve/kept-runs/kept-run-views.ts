/**
 * Wire views of kept runs. A finished run is read from its record, others from their start record and
 * journal.
 */
import { view, type Whole } from '@truecast/core/internal/shape/view';
import { cut } from '@truecast/core/internal/kit/describe-value';
import type { JournalEvent } from 'truecast/internal/run/record/journal-event';
import { factsIn, type KeptRun, type RunFacts } from 'truecast/internal/run/record/kept-run-record';
import type { OpenRun } from 'truecast/internal/run/record/read-kept-runs';
import type { PlacedEvent } from 'truecast/internal/run/record/read-run-journal';
import { toReceiptUsage } from '../../contract/receipt.ts';
import type {
  KeptRunView,
  RunAttempt,
  RunDetailView,
  RunEventView,
  RunStatus,
} from '@truecast/client/internal/wire/kept-run';

const PREVIEW_CHARS = 160;
const INTERRUPTED =
  'The process was killed before the end of the run. Its branch and log contain its work. Run it again.';

export function statusOfKept({ code }: KeptRun): RunStatus {
  return code === 'ok' ? 'valid' : code === 'done' ? 'done' : 'failed';
}

/** Returns the status of a run without a record of the end. */
export function statusOfOpen({ isLive }: OpenRun): RunStatus {
  return isLive ? 'live' : 'interrupted';
}

/** Converts a finished run. */
export function toKeptView(run: KeptRun, transcriptChars: number): KeptRunView {
  const { code, attempts, commits, usage, durationMs, error, valueText } = run;
  return {
    ...factsOf(run),
    status: statusOfKept(run),
    code,
    attempts: attempts.map((attempt) => toAttempt(attempt, transcriptChars)),
    commits,
    duration_ms: durationMs,
    ...(error !== undefined && { error: cut(error) }),
    ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
    ...(valueText !== undefined && { value_preview: preview(valueText) }),
  };
}

/** Converts a finished run with its transcript. */
export function toKeptDetail(run: KeptRun, text: string): RunDetailView {
  const { prompt, valueText, repairs, check, warnings, transcript } = run;
  return {
    ...toKeptView(run, text.length),
    prompt,
    ...(valueText !== undefined && { value_text: valueText }),
    ...(repairs !== undefined && { repairs }),
    ...(check !== undefined && { check: toCheckView(check) }),
    warnings,
    transcript: { text, omitted_chars: transcript.omittedChars },
  };
}

function toCheckView({
  durationMs,
  ...check
}: NonNullable<KeptRun['check']>): NonNullable<RunDetailView['check']> {
  return { ...check, duration_ms: durationMs };
}

/** A run that has not ended, with the data of its journal. */
export interface JournaledRun extends OpenRun {
  readonly events: readonly JournalEvent[];
  /** Time of its last event. */
  readonly writtenAtMs: number | undefined;
}

/** Converts a run that has not ended. */
export function toOpenView(run: JournaledRun): KeptRunView {
  const { start, isLive, events, writtenAtMs } = run;
  const status = statusOfOpen(run);
  const startedAtMs = Date.parse(start.startedAt);
  const lastAtMs = isLive ? Date.now() : (writtenAtMs ?? startedAtMs);
  return {
    ...factsOf(start),
    status,
    code: status,
    ...(!isLive && { error: INTERRUPTED }),
    attempts: ofType(events, 'attempt').map(({ name = '', text = '' }) => ({ code: name, message: text })),
    commits: ofType(events, 'commit').map(({ name = '' }) => name),
    duration_ms: Math.max(0, Math.round(lastAtMs - startedAtMs)),
  };
}

/** Converts a run that has not ended, with its transcript so far. */
export function toOpenDetail(run: JournaledRun): RunDetailView {
  return {
    ...toOpenView(run),
    prompt: run.start.prompt,
    warnings: ofType(run.events, 'warning').map(({ text = '' }) => text),
    transcript: { text: spokenText(run.events), omitted_chars: 0 },
  };
}

/** Returns the text of the agent in these events. */
export function spokenText(events: readonly JournalEvent[]): string {
  return ofType(events, 'text')
    .map(({ text = '' }) => text)
    .join('');
}

export function toEventView({ event, end }: PlacedEvent): RunEventView {
  const { type, at, iteration, text, name, isError, issues } = event;
  return view<RunEventView>({
    id: String(end),
    type,
    at,
    iteration,
    text,
    name,
    is_error: isError === true ? true : undefined,
    issues,
  });
}

function ofType(events: readonly JournalEvent[], type: JournalEvent['type']): readonly JournalEvent[] {
  return events.filter((event) => event.type === type);
}

type ViewedFacts = Omit<
  KeptRunView,
  'status' | 'code' | 'error' | 'attempts' | 'commits' | 'usage' | 'duration_ms' | 'value_preview' | 'run_id'
>;

/** A fact whose name is the wire's is passed on, so that a new one needs no line here. */
function factsOf(run: RunFacts): ViewedFacts {
  const { isReplayed, startedAt, prompt, output = {}, runId: _inTheList, ...same } = factsIn(run);
  return view<ViewedFacts>({
    // A fact that the wire does not have does not compile: it is named above.
    ...(same satisfies Pick<Whole<ViewedFacts>, keyof typeof same>),
    started_at: startedAt,
    prompt_preview: preview(prompt),
    is_replayed: isReplayed,
    mode: output.mode,
    tag: output.tag,
    schema_hash: output.schemaHash,
  });
}

function preview(text: string): string {
  return text.slice(0, PREVIEW_CHARS).toWellFormed();
}

/** A span outside of the transcript is left out. */
function toAttempt({ code, message, span }: KeptRun['attempts'][number], chars: number): RunAttempt {
  return { code, message, ...(span !== undefined && span.end <= chars && { span }) };
}
