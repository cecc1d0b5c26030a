/** Archive of kept runs: reads the state folder of a repository. */
import type { KeptRunView, RunPageView, RunTranscriptView } from '@truecast/client/internal/wire/kept-run';
import type { KeptRun, RunFacts } from 'truecast/internal/run/record/kept-run-record';
import {
  keptRunTime,
  listKeptRunIds,
  readKeptRun,
  readOpenRun,
  readTranscript,
  type OpenRun,
} from 'truecast/internal/run/record/read-kept-runs';
import { readRunJournal, type PlacedEvent } from 'truecast/internal/run/record/read-run-journal';
import type {
  ChangedRun,
  RunArchive,
  RunListQuery,
  LoggedOutcome,
  TranscriptRange,
} from '../../contract/run-archive.ts';
import {
  statusOfKept,
  statusOfOpen,
  spokenText,
  toEventView,
  toKeptDetail,
  toKeptView,
  toOpenDetail,
  toOpenView,
  type JournaledRun,
} from './kept-run-views.ts';
import { orderedPage } from './ordered-page.ts';
import { readRunChanges, withoutChanges, type ChangesSource } from './run-changes.ts';
import { outcomeLogPath } from 'truecast/internal/run/logging/outcome-log';
import { isValidOutcome, readOutcomes } from 'truecast/internal/run/logging/read-outcomes';

const PAGE_EVENTS = 1_000;

/**
 * Opens the archive of a state folder and its repository. Each call reads the files again, because
 * other processes write them.
 */
export function openRunArchive(stateFolder: string, repository?: ChangesSource): RunArchive {
  return {
    list: async (query) => listRuns(stateFolder, query),
    async changes(sinceMs) {
      const changed: ChangedRun[] = [];
      for (const id of await listKeptRunIds(stateFolder)) {
        const atMs = await keptRunTime(stateFolder, id);
        const found = atMs < sinceMs ? undefined : await findRun(stateFolder, id);
        if (found !== undefined) changed.push({ atMs, run: await toView(stateFolder, found) });
      }
      return changed.toSorted((one, other) => one.atMs - other.atMs);
    },
    async read(id) {
      const found = await findRun(stateFolder, id);
      if (found === undefined) return undefined;
      if (found.kept === undefined) return toOpenDetail(await withJournal(stateFolder, found.open));
      return toKeptDetail(found.kept, (await readTranscript(stateFolder, id)) ?? '');
    },
    outcomes: () => readLoggedOutcomes(stateFolder),
    async events(id, query) {
      // Read before the events, so that a finished run has no events after them.
      const found = await findRun(stateFolder, id);
      if (found === undefined) return undefined;
      const { events, end, hasMore } = await readRunJournal(stateFolder, id, query);
      const status = found.kept === undefined ? statusOfOpen(found.open) : statusOfKept(found.kept);
      const hasNext = hasMore || status === 'live';
      return { status, events: events.map(toEventView), ...(hasNext && { next: String(end) }) };
    },
    async diff(id, commit, signal) {
      const found = await findRun(stateFolder, id);
      if (found === undefined) return undefined;
      const { commits } = await toView(stateFolder, found);
      if (commit !== undefined && !commits.includes(commit)) return undefined;
      // Without a repository, no commit is there.
      if (repository === undefined) return withoutChanges(commits.length);
      return readRunChanges(repository, commits, { commit, signal });
    },
    async transcript(id, range) {
      const found = await findRun(stateFolder, id);
      if (found === undefined) return undefined;
      const text = await transcriptOf(stateFolder, id, found);
      return rangeOf(text, range, found.kept?.transcript.omittedChars ?? 0);
    },
  };
}

/** Filters of a list, without its page. */
type Filters = Omit<RunListQuery, 'limit' | 'after' | 'sort' | 'direction'>;

/** By a number, every run of the folder is read. It keeps 200 by default. */
async function listRuns(
  stateFolder: string,
  { limit, after, sort, direction, ...filters }: RunListQuery,
): Promise<RunPageView> {
  const newest = await listKeptRunIds(stateFolder);
  const ids = direction === 'asc' ? newest.toReversed() : newest;
  const runs: KeptRunView[] = [];
  if (sort !== 'created') {
    for await (const run of wantedRuns(stateFolder, ids, filters)) runs.push(run);
    return orderedPage(runs, { limit, after, sort, direction });
  }
  const rest = ids.filter((id) => {
    if (after === undefined) return true;
    return direction === 'asc' ? id > after : id < after;
  });
  for await (const run of wantedRuns(stateFolder, rest, filters)) {
    const last = runs.at(-1);
    if (runs.length === limit && last !== undefined) return { runs, next: last.id };
    runs.push(run);
  }
  return { runs };
}

/** @yields the runs that the filters select, in the order of their ids */
async function* wantedRuns(
  stateFolder: string,
  ids: readonly string[],
  filters: Filters,
): AsyncGenerator<KeptRunView> {
  for (const id of ids) {
    const found = await findRun(stateFolder, id);
    if (found === undefined || !isWanted(found.kept ?? found.open.start, filters)) continue;
    const run = await toView(stateFolder, found);
    if (filters.status !== undefined && run.status !== filters.status) continue;
    const { runId } = found.kept ?? found.open.start;
    yield runId === undefined ? run : { ...run, run_id: runId };
  }
}

type Found =
  | { readonly kept: KeptRun; readonly open?: never }
  | { readonly kept?: never; readonly open: OpenRun };

async function findRun(stateFolder: string, id: string): Promise<Found | undefined> {
  const kept = await readKeptRun(stateFolder, id);
  if (kept !== undefined) return { kept };
  const open = await readOpenRun(stateFolder, id);
  if (open?.isLive === true) return { open };
  // The run can have ended between the two reads.
  const ended = await readKeptRun(stateFolder, id);
  return ended === undefined ? open && { open } : { kept: ended };
}

async function transcriptOf(stateFolder: string, id: string, { kept, open }: Found): Promise<string> {
  if (kept !== undefined) return (await readTranscript(stateFolder, id)) ?? '';
  return spokenText((await withJournal(stateFolder, open)).events);
}

function rangeOf(text: string, { from, to }: TranscriptRange, omittedChars: number): RunTranscriptView {
  const end = Math.min(text.length, Math.max(from, to ?? text.length));
  return {
    // Replaces half of a surrogate pair at the ends of the range.
    text: text.slice(from, end).toWellFormed(),
    from: Math.min(from, end),
    to: end,
    chars: text.length,
    omitted_chars: omittedChars,
  };
}

async function toView(stateFolder: string, { kept, open }: Found): Promise<KeptRunView> {
  if (kept !== undefined) return toKeptView(kept, kept.transcript.chars);
  return toOpenView(await withJournal(stateFolder, open));
}

async function withJournal(stateFolder: string, open: OpenRun): Promise<JournaledRun> {
  const placed: PlacedEvent[] = [];
  let writtenAtMs: number | undefined;
  for (let after = 0, hasMore = true; hasMore;) {
    const page = await readRunJournal(stateFolder, open.start.id, { after, limit: PAGE_EVENTS });
    placed.push(...page.events);
    ({ hasMore, end: after, writtenAtMs } = page);
  }
  return { ...open, events: placed.map(({ event }) => event), writtenAtMs };
}

function isWanted(run: RunFacts, { agent, model, q }: Omit<Filters, 'status'>): boolean {
  if (agent !== undefined && run.agent !== agent) return false;
  if (model !== undefined && run.model !== model) return false;
  const words = q?.toLowerCase();
  return (
    words === undefined ||
    [run.name, run.branch, run.prompt].some((text) => text?.toLowerCase().includes(words) === true)
  );
}

/** Maximum size of the log's end that is read: about 50,000 lines. */
const MAX_LOG_BYTES = 16 * 1024 * 1024;

/**
 * Reads the end of the log.
 *
 * @yields outcomes, the oldest first, without unreadable lines
 * @returns true if the whole log was read
 */
async function* readLoggedOutcomes(stateFolder: string): AsyncGenerator<LoggedOutcome, boolean> {
  const lines = readOutcomes(outcomeLogPath(stateFolder), { maxBytes: MAX_LOG_BYTES });
  for (;;) {
    const { done, value } = await lines.next();
    if (done === true) return value;
    if (value === undefined) continue;
    const { time, usage, ...outcome } = value;
    const isValid = isValidOutcome(value);
    yield { ...outcome, atMs: time.getTime(), isValid, costUsd: usage?.costUsd };
  }
}
