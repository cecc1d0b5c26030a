/** One step of a turn: calls the model with retries, evaluates the reply, and commits the step. */
import type { ModelMessage } from 'ai';
import { FINALIZER_NAME, FINALIZER_REMINDER } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { LoopSlices } from '@truecast/store/internal/database/loop-slices';
import { dialectOf } from '@truecast/model/internal/modes/answer-mode';
import { DIALECT_NAMES } from '../contract/wire-codes.ts';
import { FINALIZER_SYSTEM_TEXT } from '../finalizer/finalizer-definition.ts';
import { isByText, type Way } from '@truecast/model/internal/ladder/choose-way';
import { noteReply } from '../finalizer/learn-way.ts';
import { attemptWithoutCall, settleStep, type SettledStep } from '../finalizer/settle-step.ts';
import { sha256 } from './sha256.ts';
import type { OpenRequest } from '../format/active-request.ts';
import { liveWriter } from '../live/live-writer.ts';
import type { StepReply, StepRequest } from '../models/step-request.ts';
import {
  toolChoiceOf,
  restoreParts,
  textForm,
  withToldFormat,
  type TextForm,
} from '../models/native-form.ts';
import { observedStep } from '../models/observed-step.ts';
import type { StepMessage } from '../state/rows/append-messages.ts';
import type { ToolCallReservation } from '../state/rows/tool-ledger.ts';
import type { StepCommit } from '../state/turn-commits.ts';
import { keepInterrupted } from '../turn/synthetic-results.ts';
import { askedAnew, nextSeed } from '../turn/asked-anew.ts';
import { providerMessages } from '../turn/provider-messages.ts';
import { callsOf } from '../contract/turn-rows.ts';
import { endInterrupted } from './end-of-turn.ts';
import { endWithStep } from './decide-turn.ts';
import type { LoadedTurn } from './load-turn.ts';
import { afterFailure } from './model-failure.ts';
import { boundsOf, callerOf, type StepResult, type TurnRun } from './turn-run.ts';
import { deferIfPaced } from './wait-to-retry.ts';

/** Replies of one turn of the event loop. All chats of the process share it. */
const SETTLING = new LoopSlices(8);

/** Calls the model for one step and commits it. */
export async function callModel(run: TurnRun, turn: LoadedTurn, way: Way | undefined): Promise<StepResult> {
  const deferred = await deferIfPaced(run, turn);
  if (deferred !== undefined) return deferred;
  const { activeRequest: active } = turn.view;
  const request = active.type === 'open' ? active.request : undefined;
  const { historyVersion, attempt } = run.fence;
  const episode = { chatId: turn.chat.id, historyVersion, attempt };
  const answersByText = way !== undefined && isByText(way.mode);
  const writer = liveWriter(run.ports.live, episode, { answersByText });
  const { rows } = turn.view;
  const form = request && textForm(way, request.format, { model: run.prepared.model.model, rows });
  const step: StepRequest = {
    ...stepRequest(run, turn, way, form),
    signal: run.watch.signal,
    ...boundsOf(run.ports),
    onLivePart: (part) => writer.push(part),
  };
  try {
    const reply = await observedStep(step, callerOf(run));
    return await commitReply(run, turn, { reply, way, request, form });
  } catch (error) {
    const asked = way === undefined ? undefined : { way: way, schema: request?.format.schema ?? true };
    return await afterFailure(run, turn, { error, asked, request: step });
  } finally {
    writer.end();
  }
}

/** Without a request, the prompt contains nothing about the finalizer. */
function stepRequest(
  { prepared }: TurnRun,
  { chat, view }: LoadedTurn,
  way: Way | undefined,
  form: TextForm | undefined,
): Omit<StepRequest, 'signal'> {
  const isText = way !== undefined && isByText(way.mode);
  const isDue = way?.isAnswerDue === true;
  const system = [chat.systemPrompt, way !== undefined && !isText ? FINALIZER_SYSTEM_TEXT : undefined];
  const said = system.filter((text) => text !== undefined && text !== '').join('\n\n');
  const { activeRequest: active } = view;
  const shown = providerMessages(view, isText);
  const anew = askedAnew(view, isText);
  // A model that its provider paused must continue without a new message.
  const isPausedNow = shown.at(-1)?.role === 'assistant';
  const reminder: ModelMessage[] =
    way?.hasReminder === true && !isPausedNow ? [{ role: 'user', content: FINALIZER_REMINDER }] : [];
  const messages: readonly ModelMessage[] = [
    ...(said === '' ? [] : [{ role: 'system' as const, content: said }]),
    ...shown,
    ...reminder,
  ];
  return {
    model: prepared.model,
    sampling: nextSeed(prepared.model.sampling?.seed, anew),
    messages:
      way === undefined || active.type !== 'open' || (isPausedNow && !isText)
        ? messages
        : withToldFormat(messages, active.request.format, {
            ...way,
            ...anew,
            isHeldInPart: form?.isHeldInPart,
          }),
    tools: isText ? [] : isDue ? prepared.definitions.filter(isAnswerTool) : prepared.definitions,
    providerTools: isText || isDue ? {} : prepared.providerTools,
    ...(way !== undefined && !isText && { toolChoice: toolChoiceOf(way) }),
    ...(way?.stopsThinking === true && { withoutThinking: true }),
    ...form?.request,
  };
}

function isAnswerTool({ name }: { readonly name: string }): boolean {
  return name === FINALIZER_NAME;
}

interface Replied {
  readonly reply: StepReply;
  readonly way: Way | undefined;
  readonly request: OpenRequest | undefined;
  /** Undefined for a call. */
  readonly form: TextForm | undefined;
}

async function commitReply(run: TurnRun, turn: LoadedTurn, replied: Replied): Promise<StepResult> {
  await SETTLING.next();
  const { reply, way, request } = replied;
  if (reply.finishReason === 'interrupted') return commitInterrupted(run, turn, replied);
  run.ports.pacing?.succeed({ model: run.prepared.model.id });
  const settled: SettledStep =
    request === undefined || way === undefined
      ? { assistant: reply.parts, results: [], corrective: undefined }
      : settleStep(
          {
            parts: restoreParts(reply.parts, replied.form),
            finishReason: reply.finishReason,
            mode: way.mode,
            isDemonstrated: replied.form?.isDemonstrated,
          },
          request,
        );
  if (request !== undefined && way !== undefined) {
    const { schema } = request.format;
    noteReply(reply, settled, { model: run.prepared.model, schema, way, climb: run.climb });
  }
  const step = toCommit(run, replied, settled);
  run.isTooLong = false;
  run.compactions = 0;
  if (await endWithStep(run, turn, step)) return 'ended';
  const { fence } = await run.ports.machine.commitStep(run.fence, step);
  run.fence = fence;
  return 'go-on';
}

async function commitInterrupted(run: TurnRun, turn: LoadedTurn, replied: Replied): Promise<StepResult> {
  const reason = run.watch.reason();
  if (reason === 'lost') return 'lost';
  // A step that a shutdown interrupted is requested again by the next worker.
  if (reason === 'shutdown') return 'go-on';
  // A partial submission is useless and therefore removed.
  const parts = keepInterrupted(replied.reply.parts).filter(
    (part) => part.type !== 'tool_call' || part.tool_name !== FINALIZER_NAME,
  );
  const isEmpty = parts.every(({ type }) => type === 'reasoning');
  const settled = { assistant: parts, results: [], corrective: undefined };
  await endInterrupted(run, turn, isEmpty ? {} : toCommit(run, replied, settled));
  return 'ended';
}

function toCommit(run: TurnRun, { reply, way, form }: Replied, settled: SettledStep): StepCommit {
  const attempt = way === undefined ? undefined : attemptWithoutCall(settled);
  const assistant: StepMessage = {
    role: 'assistant',
    parts: settled.assistant,
    step: {
      finishReason: reply.finishReason,
      model: run.prepared.model.id,
      ...(reply.usage !== undefined && { usage: reply.usage }),
      durationMs: Math.floor(reply.durationMs),
      startedAt: reply.startedAt,
      ...(reply.waitedMs !== undefined && { waitedMs: Math.floor(reply.waitedMs) }),
      ...(reply.waitedFor !== undefined && { waitedFor: reply.waitedFor }),
      ...(reply.firstTokenAt !== undefined && { firstTokenAt: reply.firstTokenAt }),
      ...(way !== undefined && {
        mode: way.mode,
        dialect: DIALECT_NAMES[dialectOf(run.prepared.model.model)],
        ...(form?.unenforced !== undefined && { unenforced: form.unenforced }),
        ...(attempt !== undefined && { attempt }),
      }),
    },
  };
  const results: StepMessage[] = settled.results.length > 0 ? [{ role: 'tool', parts: settled.results }] : [];
  const corrective: StepMessage[] =
    settled.corrective === undefined
      ? []
      : [{ role: 'user', visibility: 'model', parts: [settled.corrective] }];
  return { messages: [assistant, ...results, ...corrective], calls: reservations(run, settled) };
}

/** Returns the unanswered calls of the server and of the client. */
function reservations(run: TurnRun, { assistant, results }: SettledStep): ToolCallReservation[] {
  const answered = new Set(results.map(({ tool_call_id }) => tool_call_id));
  const open = callsOf(assistant).filter(
    (call) => call.provider_executed !== true && !answered.has(call.tool_call_id),
  );
  return open.map((call) => {
    const tool = run.prepared.serverTools.get(call.tool_name);
    return {
      toolCallId: call.tool_call_id,
      toolName: call.tool_name,
      inputHash: sha256(call.args),
      idempotentHint: tool?.idempotentHint === true,
      isDurable: tool?.isDurable === true,
      runBy: run.prepared.facts.get(call.tool_name)?.kind === 'dynamic' ? 'client' : 'server',
    };
  });
}
