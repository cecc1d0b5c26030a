/**
 * Compaction: summarizes a conversation with one model call and commits rows that replace it in
 * later prompts.
 */
import type { MessagePart } from '../contract/parts.ts';
import type { MessageRow } from '../contract/rows.ts';
import { observedStep } from '../models/observed-step.ts';
import type { StepRequest } from '../models/step-request.ts';
import { compactionRows } from '../turn/compaction.ts';
import { configurationError } from '../turn/turn-failure.ts';
import { truncateText } from '../turn/truncate-result.ts';
import { boundsOf, callerOf } from './call-bounds.ts';
import { endInterrupted, endFailedTurn } from './end-of-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import { afterFailure } from './model-failure.ts';
import type { StepResult, TurnRun } from './turn-run.ts';
import { deferIfOpen } from './wait-to-retry.ts';

const DEFAULT_CONTEXT_TOKENS = 128_000;
/** Half of the context, assuming about four bytes per token. */
const BYTES_PER_CONTEXT_TOKEN = 2;
const LONGEST_PART_BYTES = 8 * 1024;

const INSTRUCTION =
  'Below is a conversation between a user and an assistant that works with tools. Summarize it for the assistant, which will go on from your summary ' +
  'alone: what the user wants, what was decided and why, what was found out (names, paths, numbers, exact words where they matter), what was done, ' +
  'and what is still open. Write nothing but the summary.';

/** Summarizes the chat and commits the summary. A running turn continues. */
export async function compactChat(run: TurnRun, turn: LoadedTurn): Promise<StepResult> {
  const deferred = await deferIfOpen(run, turn);
  if (deferred !== undefined) return deferred;
  const { model } = run.prepared;
  const maxBytes = (model.contextTokens ?? DEFAULT_CONTEXT_TOKENS) * BYTES_PER_CONTEXT_TOKEN;
  const transcript = truncateText(turn.messages.flatMap(linesOf).join('\n'), maxBytes);
  const content = `${INSTRUCTION}\n\n<conversation>\n${transcript}\n</conversation>`;
  const step: StepRequest = {
    model,
    messages: [{ role: 'user', content }],
    tools: [],
    signal: run.watch.signal,
    ...boundsOf(run.ports),
  };
  try {
    const reply = await observedStep(step, callerOf(run));
    if (reply.finishReason === 'interrupted') return await stopped(run, turn);
    run.ports.circuits?.succeed(model.id);
    const summary = reply.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
    if (summary.trim() === '') {
      await endFailedTurn(run, turn, {
        type: 'fail',
        error: configurationError('contextFull'),
        chatStatus: 'error',
      });
      return 'ended';
    }
    const { fence } = await run.ports.machine.commitCompaction(run.fence, {
      messages: compactionRows(turn.view, summary),
    });
    run.fence = fence;
    run.isTooLong = false;
    return 'go-on';
  } catch (error) {
    return afterFailure(run, turn, { error, asked: undefined, request: step });
  }
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

function textOf(part: MessagePart): string | undefined {
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
