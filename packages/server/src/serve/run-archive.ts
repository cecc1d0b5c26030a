/** Archive of kept runs: reads the state folder of a repository, and converts to the wire format. */
import { cut } from '@truecast/core/internal/errors/base/describe-value';
import type { RunAttempt, RunDetailView, KeptRunView } from '../contract/wire/run-wire.ts';
import type { KeptRun } from 'truecast/internal/run/record/kept-run';
import {
  keptRunTime,
  listKeptRunIds,
  readKeptRun,
  readTranscript,
} from 'truecast/internal/run/record/read-kept-runs';
import type { ChangedRun, RunArchive, RunListQuery } from '../contract/run-archive.ts';
import { toReceiptUsage } from '../contract/receipt.ts';

const PREVIEW_CHARS = 160;

/** Opens the archive. Each call reads the files again. */
export function openRunArchive(stateFolder: string): RunArchive {
  return {
    async list({ limit, after, ...filters }) {
      const ids = await listKeptRunIds(stateFolder);
      const runs: KeptRunView[] = [];
      for (const id of ids) {
        if (after !== undefined && id >= after) continue;
        const run = await readKeptRun(stateFolder, id);
        if (run === undefined || !isWanted(run, filters)) continue;
        const last = runs.at(-1);
        if (runs.length === limit && last !== undefined) return { runs, next: last.id };
        runs.push(toRunView(run, run.transcript.chars));
      }
      return { runs };
    },
    async changes(sinceMs) {
      const changed: ChangedRun[] = [];
      for (const id of await listKeptRunIds(stateFolder)) {
        const atMs = await keptRunTime(stateFolder, id);
        const run = atMs < sinceMs ? undefined : await readKeptRun(stateFolder, id);
        if (run !== undefined) changed.push({ atMs, run: toRunView(run, run.transcript.chars) });
      }
      return changed.toSorted((one, other) => one.atMs - other.atMs);
    },
    async read(id) {
      const run = await readKeptRun(stateFolder, id);
      return run && toDetailView(run, (await readTranscript(stateFolder, id)) ?? '');
    },
  };
}

function isWanted(run: KeptRun, { status, agent, q }: Omit<RunListQuery, 'limit' | 'after'>): boolean {
  if (status !== undefined && statusOf(run) !== status) return false;
  if (agent !== undefined && run.agent !== agent) return false;
  const words = q?.toLowerCase();
  return (
    words === undefined ||
    [run.name, run.branch, run.prompt].some((text) => text?.toLowerCase().includes(words) === true)
  );
}

function statusOf({ code }: KeptRun): KeptRunView['status'] {
  return code === 'ok' ? 'valid' : code === 'done' ? 'done' : 'failed';
}

function toDetailView(run: KeptRun, text: string): RunDetailView {
  const { prompt, valueText, repairs, warnings, transcript } = run;
  return {
    ...toRunView(run, text.length),
    prompt,
    ...(valueText !== undefined && { value_text: valueText }),
    ...(repairs !== undefined && { repairs }),
    warnings,
    transcript: { text, omitted_chars: transcript.omittedChars },
  };
}

function toRunView(run: KeptRun, transcriptChars: number): KeptRunView {
  const { id, code, agent, sandbox, attempts, commits, usage, startedAt, durationMs, prompt } = run;
  const { name, error, model, egress, branch, output = {}, valueText } = run;
  const { route, tag, schemaHash } = output;
  return {
    id,
    status: statusOf(run),
    code,
    agent,
    sandbox,
    attempts: attempts.map((attempt) => toAttempt(attempt, transcriptChars)),
    commits,
    started_at: startedAt,
    duration_ms: durationMs,
    prompt_preview: preview(prompt),
    ...(run.isReplayed === true && { is_replayed: true }),
    ...(name !== undefined && { name }),
    ...(error !== undefined && { error: cut(error) }),
    ...(model !== undefined && { model }),
    ...(egress !== undefined && { egress }),
    ...(branch !== undefined && { branch }),
    ...(route !== undefined && { route }),
    ...(tag !== undefined && { tag }),
    ...(schemaHash !== undefined && { schema_hash: schemaHash }),
    ...(usage !== undefined && { usage: toReceiptUsage(usage) }),
    ...(valueText !== undefined && { value_preview: preview(valueText) }),
  };
}

function preview(text: string): string {
  return text.slice(0, PREVIEW_CHARS).toWellFormed();
}

/** A span outside of the transcript is left out. */
function toAttempt({ code, message, span }: KeptRun['attempts'][number], chars: number): RunAttempt {
  return { code, message, ...(span !== undefined && span.end <= chars && { span }) };
}
