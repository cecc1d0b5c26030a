/**
 * Compaction: summarizes a conversation in pieces that fit the model's window, and commits rows that
 * replace it in later prompts.
 */
import { isLongerThan } from '@truecast/core/internal/kit/utf8-length';
import type { MessageRow, RowPart } from '../contract/rows.ts';
import { observedStep } from '../models/observed-step.ts';
import type { StepReply, StepRequest } from '../models/step-request.ts';
import { compactionRows, type CompactionRow } from '../turn/compaction.ts';
import { truncateText } from '../turn/truncate-result.ts';
import { endInterrupted } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import { afterFailure, isTooLong } from './model-failure.ts';
import { boundsOf, callerOf, type StepResult, type TurnRun } from './turn-run.ts';
import { deferIfPaced } from './wait-to-retry.ts';

const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Half of the context, assuming about four bytes per token. */
const BYTES_PER_CONTEXT_TOKEN = 2;
const LONGEST_PART_BYTES = 8 * 1024;

/** Windows below this get a summary that leaves room for the next message and its answer. */
const SMALL_CONTEXT_TOKENS = 32_768;
/** Share of a small window for one summary. */
const SUMMARY_SHARE = 1 / 8;
/** Bytes of the summary that is kept beside a message that hardly fits. */
const SHORTEST_BYTES = 512;

/** Summarizes the chat and commits the summary. A running turn continues. */
export async function compactChat(run: TurnRun, turn: LoadedTurn): Promise<StepResult> {
  const deferred = await deferIfPaced(run, turn);
  if (deferred !== undefined) return deferred;
  const { model } = run.prepared;
  const { contextTokens } = model;
  // After a compaction that did not help, only the message itself and a few words are left.
  if (run.isTooLong && run.compactions > 0) {
    return commit(run, compactionRows(turn.view, shortest(turn), { isShortest: true }));
  }
  const request = (content: string): StepRequest => ({
    model,
    messages: [{ role: 'user', content }],
    tools: [],
    ...(contextTokens !== undefined &&
      contextTokens < SMALL_CONTEXT_TOKENS && {
        maxOutputTokens: Math.ceil(
          Math.min(contextTokens * SUMMARY_SHARE, model.maxOutputTokens ?? Number.POSITIVE_INFINITY),
        ),
      }),
    signal: run.watch.signal,
    ...boundsOf(run.ports),
  });
  let last = request('');
  try {
    const summary = await summarize(turn.messages.flatMap(linesOf).join('\n'), {
      maxBytes: (contextTokens ?? DEFAULT_CONTEXT_TOKENS) * BYTES_PER_CONTEXT_TOKEN,
      ask: (content) => {
        last = request(content);
        return observedStep(last, callerOf(run));
      },
      isTooLong: (error) => isTooLong(error, { model, request: last }),
    });
    if (summary.type === 'interrupted') return await stopped(run, turn);
    run.ports.pacing?.succeed({ model: model.id });
    return await commit(run, compactionRows(turn.view, summary.text));
  } catch (error) {
    return afterFailure(run, turn, { error, asked: undefined, request: last });
  }
}

async function commit(run: TurnRun, messages: readonly CompactionRow[]): Promise<StepResult> {
  const { fence } = await run.ports.machine.commitCompaction(run.fence, { messages });
  run.fence = fence;
  run.isTooLong = false;
  run.compactions += 1;
  return 'go-on';
}

function shortest({ view }: LoadedTurn): string {
  const summaries = view.rows.flatMap(({ parts }) => parts.filter((part) => part.type === 'summary'));
  return truncateText(summaries.at(-1)?.text ?? '', SHORTEST_BYTES);
}

async function stopped(run: TurnRun, turn: LoadedTurn): Promise<StepResult> {
  if (run.watch.reason() !== 'interrupting') return 'go-on';
  await endInterrupted(run, turn, {});
  return 'ended';
}

function linesOf({ role, parts, visibility, isDeleted }: MessageRow): string[] {
  if (isDeleted || visibility === 'user') return [];
  return parts.flatMap((part) => {
    const said = textOf(part);
    return said === undefined ? [] : [`[${role}] ${truncateText(said, LONGEST_PART_BYTES)}`];
  });
}

/** Only Anthropic can read encrypted page content, which can be long. */
function withoutSealed(key: string, value: unknown): unknown {
  return key === 'encryptedContent' ? undefined : value;
}

function textOf(part: RowPart): string | undefined {
  switch (part.type) {
    case 'text':
    case 'summary':
      return part.text;
    case 'tool_call':
      return `called ${part.tool_name} with ${part.args}`;
    case 'tool_result':
      return `${part.tool_name} ${part.is_error ? 'failed with' : 'gave'} ${JSON.stringify(part.result, withoutSealed)}`;
    case 'file':
      return `a file (${part.filename ?? part.media_type})`;
    case 'reasoning':
    case 'source':
    case 'response_format':
    case 'corrective':
    case 'outcome':
      return undefined;
    default:
      return part satisfies never;
  }
}

/** A model that writes summaries. */
interface Summarizer {
  /** Bytes of conversation in one call. Halved while the service refuses the size. */
  readonly maxBytes: number;
  ask(content: string): Promise<StepReply>;
  /** Returns true if the service refused a prompt for its length. */
  isTooLong(error: unknown): boolean;
}

/** Result: the summary, or the reason for its absence. */
type SummaryResult = { readonly type: 'summary'; readonly text: string } | { readonly type: 'interrupted' };

/** A longer conversation loses its middle: a summary of a summary keeps little of it anyway. */
const MAX_PIECES = 12;
/** Below this, a refusal is not about the length. */
const MIN_BYTES = 512;

const INSTRUCTION =
  'Below is a conversation between a user and an assistant that works with tools. Summarize it for the assistant, which will go on from your summary ' +
  'alone: what the user wants, what was decided and why, what was found out (names, paths, numbers, exact words where they matter), what was done, ' +
  'and what is still open. Write nothing but the summary.';
const EARLIER = 'The summary of what came before it is in <summary>: keep what still matters of it.';

/**
 * Summarizes a transcript. A model that writes nothing leaves the transcript itself, shortened.
 * Rejects as `ask`, unless the refusal is about a length that can still be halved.
 */
async function summarize(transcript: string, summarizer: Summarizer): Promise<SummaryResult> {
  let { maxBytes } = summarizer;
  let rest = truncateText(transcript, maxBytes * MAX_PIECES);
  let summary = '';
  while (rest !== '') {
    const piece = firstPiece(rest, maxBytes);
    try {
      const reply = await summarizer.ask(promptOf(piece, truncateText(summary, shareOf(maxBytes))));
      if (reply.finishReason === 'interrupted') return { type: 'interrupted' };
      const said = reply.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
      if (said.trim() !== '' && reply.finishReason !== 'runaway') summary = said;
      rest = rest.slice(piece.length);
    } catch (error) {
      if (!summarizer.isTooLong(error) || maxBytes / 2 < MIN_BYTES) throw error;
      maxBytes /= 2;
      rest = truncateText(rest, maxBytes * MAX_PIECES);
    }
  }
  return { type: 'summary', text: summary === '' ? truncateText(transcript, shareOf(maxBytes)) : summary };
}

/** A quarter of a piece, so that both fit. */
function shareOf(maxBytes: number): number {
  return Math.max(MIN_BYTES, Math.floor(maxBytes / 4));
}

function promptOf(piece: string, summary: string): string {
  const before = summary === '' ? '' : ` ${EARLIER}\n\n<summary>\n${summary}\n</summary>`;
  return `${INSTRUCTION}${before}\n\n<conversation>\n${piece}\n</conversation>`;
}

/** Ends with a line if it can. */
function firstPiece(text: string, maxBytes: number): string {
  if (!isLongerThan(text, maxBytes)) return text;
  // A UTF-16 unit has at most three bytes.
  let end = Math.max(1, Math.floor(maxBytes / 3));
  for (let more = end; more >= 1; more = Math.floor(more / 2)) {
    while (!isLongerThan(text.slice(0, end + more), maxBytes)) end += more;
  }
  const line = text.lastIndexOf('\n', end - 1) + 1;
  return text.slice(0, line > end / 2 ? line : end).toWellFormed();
}
