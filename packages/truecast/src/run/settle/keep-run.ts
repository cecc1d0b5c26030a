/** Kept run: its journal while its agent works, then its record and its transcript. */
import { repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import type { Whole } from '@truecast/core/internal/shape/view';
import type { CommitRef } from '@truecast/core/internal/errors/base/run-evidence';
import type { Provenance } from '@truecast/core/internal/output/definition/provenance';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import { describeEgress } from '../../sandboxes/egress/egress-policy.ts';
import { thisProcess } from '../../process/process-identity.ts';
import { MAX_TRANSCRIPT_CHARS } from '../record/kept-run.ts';
import type { KeptAttempt, KeptRun, RunFacts, TranscriptSpan } from '../record/kept-run-record.ts';
import { isReplay } from '../record/replay.ts';
import { writeKeptRun } from '../record/write-kept-run.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { totalUsage } from '../context/run-progress.ts';
import { keptValueText } from './kept-value.ts';

/** Final state of a run. */
export interface KeptEnding {
  readonly answer?: { readonly value: unknown; readonly provenance: Provenance } | undefined;
  readonly error?: unknown;
  readonly commits: readonly CommitRef[];
}

/** A secret that begins before the kept text must still be masked. */
const MASK_MARGIN_CHARS = 64 * 1024;
const MAX_PROMPT_CHARS = 64 * 1024;
const MAX_LISTED = 200;

/** Opens the journal of a run that is kept. The prompt must be known. */
export async function openJournal(context: WorkingContext): Promise<void> {
  const { journal, options, workspace } = context;
  if (options.keptRuns === 0) return;
  const facts = await factsOf(context);
  journal.open(folderOf(workspace), { ...facts, process: thisProcess() });
}

/**
 * Keeps a finished run, unless the options forbid storing it on this machine. Never fails, because
 * the run is over.
 */
export async function keepRun(context: WorkingContext, ending: KeptEnding): Promise<void> {
  const { journal, options, progress, workspace } = context;
  if (options.keptRuns === 0) return;
  try {
    const transcript = keptTranscript(context);
    const run = await toKeptRun(context, ending, transcript.omittedChars);
    journal.end(Math.max(1, progress.iterations.length), run.error);
    await writeKeptRun(folderOf(workspace), {
      run: { ...run, transcript: { chars: transcript.text.length, omittedChars: transcript.omittedChars } },
      transcript: transcript.text,
      keep: options.keptRuns,
    });
  } catch (cause) {
    context.warn(`The run could not be kept: ${cause instanceof Error ? cause.message : String(cause)}`);
  } finally {
    // Leaves the journal, because the process can run for days after this run.
    journal.leave();
  }
}

function folderOf({ worktree }: WorkingContext['workspace']): string {
  return repositoryStateFolder(worktree.repository.commonDir);
}

/** The end of the agent's text, masked unit by unit, so that positions in it stay valid. */
function keptTranscript({ progress, mask }: WorkingContext): {
  readonly text: string;
  readonly omittedChars: number;
} {
  const masked = mask.mask(progress.text.toString().slice(-(MAX_TRANSCRIPT_CHARS + MASK_MARGIN_CHARS)));
  // Half of a surrogate pair cannot be stored as UTF-8. Its replacement is one unit too.
  const text = masked.slice(-MAX_TRANSCRIPT_CHARS).toWellFormed();
  return { text, omittedChars: progress.text.totalChars - text.length };
}

async function factsOf({ journal, options, progress, workspace, mask }: WorkingContext): Promise<RunFacts> {
  const { handle, worktree } = workspace;
  const startedAt = new Date(Date.now() - (performance.now() - progress.startedAtMs));
  const facts: Whole<Omit<RunFacts, 'id' | 'branch'>> = {
    version: 1,
    name: options.name,
    runId: options.id,
    isReplayed: isReplay(options.agent) ? true : undefined,
    agent: options.agent.name,
    model: progress.model ?? options.agent.model,
    sandbox: options.sandbox.name,
    egress: handle.egress === undefined ? undefined : describeEgress(handle.egress),
    prompt: (progress.prompt ?? '').slice(0, MAX_PROMPT_CHARS),
    startedAt: startedAt.toISOString(),
    output: options.output && {
      mode: options.mode,
      tag: options.output.tag,
      schemaHash: await schemaHashOf(options.output),
    },
  };
  // Locations of the work: a masked name would be useless.
  return {
    ...maskValue(facts, mask),
    id: journal.id,
    branch: options.isThrownAway ? undefined : worktree.branch,
  };
}

async function toKeptRun(
  context: WorkingContext,
  { answer, error, commits }: KeptEnding,
  omittedChars: number,
): Promise<Omit<KeptRun, 'transcript'>> {
  const { progress, mask } = context;
  const isValid = answer !== undefined && error === undefined;
  const ending: Whole<Omit<KeptRun, 'transcript' | 'commits' | keyof RunFacts>> = {
    durationMs: Math.round(performance.now() - progress.startedAtMs),
    code: isValid ? 'ok' : error === undefined ? 'done' : codeOf(error),
    error: error instanceof Error ? error.message.slice(0, MAX_PROMPT_CHARS) : undefined,
    attempts: keptAttempts(context, omittedChars, answer?.provenance).slice(-MAX_LISTED),
    valueText: answer === undefined ? undefined : keptValueText(answer.value, mask),
    repairs: answer?.provenance.repairs,
    check: answer?.provenance.check,
    usage: totalUsage(progress),
    warnings: progress.warnings.slice(0, MAX_LISTED).map((warning) => cut(warning)),
  };
  return {
    ...(await factsOf(context)),
    ...maskValue(ending, mask),
    commits: commits.slice(0, MAX_LISTED).map(({ sha }) => sha),
  };
}

function codeOf(error: unknown): string {
  return TruecastError.isInstance(error) ? error.code : 'aborted';
}

/** In the tag mode each turn has one attempt, whose text is in that turn. */
function keptAttempts(
  { options, progress }: WorkingContext,
  omittedChars: number,
  provenance: Provenance | undefined,
): readonly KeptAttempt[] {
  const { attempts, turnStarts } = progress;
  if (options.mode !== 'tag') return attempts.map(({ code, message }) => ({ code, message: cut(message) }));
  const text = progress.text.toString().slice(-MAX_TRANSCRIPT_CHARS);
  return attempts.map(({ code, message, rawMatched }, index) => {
    const start = (turnStarts[index] ?? 0) - omittedChars;
    const turn = { start, text: text.slice(Math.max(0, start), end(turnStarts[index + 1], omittedChars)) };
    const span =
      code === 'ok' && provenance?.span !== undefined
        ? shifted(provenance.span, start)
        : rawMatched && findRefused(turn, rawMatched, `<${options.output?.tag}>`);
    return { code, message: cut(message), ...(span && { span }) };
  });
}

function end(nextStart: number | undefined, omittedChars: number): number | undefined {
  return nextStart === undefined ? undefined : Math.max(0, nextStart - omittedChars);
}

/** Finds the last position of the rejected text in the turn, after its opening tag if possible. */
function findRefused(
  { start, text }: { readonly start: number; readonly text: string },
  raw: string,
  opening: string,
): TranscriptSpan | undefined {
  const tagged = text.lastIndexOf(opening + raw);
  const at = tagged === -1 ? text.lastIndexOf(raw) : tagged + opening.length;
  const from = Math.max(0, start) + at;
  return at === -1 ? undefined : { start: from, end: from + raw.length };
}

/** Undefined if the text was not kept. */
function shifted({ start, end: until }: TranscriptSpan, by: number): TranscriptSpan | undefined {
  return start + by < 0 ? undefined : { start: start + by, end: until + by };
}
