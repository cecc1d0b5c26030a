/**
 * Answers a request with a format: calls the model until it returns an accepted answer, calls a
 * function of the caller, or reaches a limit.
 */
import { asksAnew } from '@truecast/core/internal/output/finalizer/answer-loop';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { WRAPPED_ROOT_KEY } from '@truecast/core/internal/schema/wrap-root';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import type { RequestError } from '@truecast/client/internal/wire/receipt';
import type { MessageRow } from '../../contract/rows.ts';
import { FINALIZER_FACTS } from '../../finalizer/finalizer-definition.ts';
import { startClimb, type Climb } from '@truecast/model/internal/ladder/climb';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import { noteRefusal, noteReply, standingOf, type AskedForm } from '../../finalizer/learn-way.ts';
import { settleStep } from '../../finalizer/settle-step.ts';
import type { OpenRequest } from '../../format/active-request.ts';
import type { ResponseFormat } from '../../format/parse-response-format.ts';
import { turnView, type TurnView } from '../../format/turn-view.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import { restoreParts, textForm, type TextForm } from '../../models/native-form.ts';
import type { StepReply } from '../../models/step-request.ts';
import { decide, type Decision, type TurnSettings } from '../../turn/decide.ts';
import { callerCalls, type AnswerWatch } from './answer-text.ts';
import { askModel } from './ask-model.ts';
import { formatStep } from './format-step.ts';
import {
  askFunctionsAnew,
  judgeCalls,
  keptParts,
  MAX_TRIES,
  unknownTool,
  unproduced,
  type JudgedFunctions,
  type RefusedCalls,
} from './judge-functions.ts';
import { interrupted } from './interrupted.ts';
import { makeRow, requestRow, rowsOf, type RowContent } from '../wire/wire-rows.ts';
import { textAnswer, type WireOutcome } from '../wire/wire-answer.ts';
import { callerFacts } from '../wire/wire-tools.ts';
import type { WireRequest } from '../wire/wire-request.ts';

/** Maximum model calls per request. */
const MAX_STEPS = 20;

/** Cancellation and observers of an answer with a format. */
export type FormatWatch = Omit<AnswerWatch, 'onText'>;

export type FormatRequest = WireRequest & {
  readonly format: ResponseFormat;
  /** Functions beside it whose arguments are judged. @default none */
  readonly functions?: JudgedFunctions;
};

/** Asks the model for the answer. Returned values are validated. */
export async function answerFormat(
  request: FormatRequest,
  model: ChatModel,
  watch: FormatWatch,
): Promise<WireOutcome> {
  const turn = newTurn(request, model);
  for (;;) {
    const view = turnView(turn.rows, { planMode: false });
    const decision = decide(view, settingsOf(turn));
    const outcome = await takeDecision(decision, { ...turn, view }, watch);
    if (watch.signal.aborted) return withUsage(interrupted(), turn);
    if (outcome !== undefined) return withUsage(outcome, turn);
  }
}

interface Turn {
  readonly request: FormatRequest;
  readonly model: ChatModel;
  readonly rows: MessageRow[];
  /** Steps that the service refused. */
  readonly climb: Climb;
  readonly refused: RefusedCalls;
}

/** The turn, with the view of the rows before this decision. */
interface ViewedTurn extends Turn {
  readonly view: TurnView;
}

function newTurn(request: FormatRequest, model: ChatModel): Turn {
  const past = rowsOf(request.messages);
  return {
    request,
    model,
    rows: [...past, requestRow(past.length + 1, request.format)],
    climb: startClimb(),
    refused: { attempts: [], correcting: [], hidden: [], renewals: 0 },
  };
}

function settingsOf({ request, model, climb }: Turn): TurnSettings {
  const tools = request.toolChoice === 'none' ? [] : request.tools.map(callerFacts);
  return {
    tools: new Map([FINALIZER_FACTS, ...tools].map((facts) => [facts.name, facts])),
    model: model.capabilities,
    refused: climb.refused,
    standing: standingOf({ model, schema: request.format.schema }),
    isCompactionRequested: false,
    maxSteps: MAX_STEPS,
    isCutFinal: isCutFinal(request, model),
  };
}

/**
 * A service cuts each reply at the caller's own limit, and is paid for each. A small model of a local
 * engine runs away instead: with the next seed, most of its answers fit the same limit.
 */
export function isCutFinal(
  { maxOutputTokens }: Pick<WireRequest, 'maxOutputTokens'>,
  model: ChatModel,
): boolean {
  return maxOutputTokens !== undefined && model.capabilities.isLearned !== true;
}

/** Returns undefined while the turn continues. */
async function takeDecision(
  decision: Decision,
  turn: ViewedTurn,
  watch: FormatWatch,
): Promise<WireOutcome | undefined> {
  switch (decision.type) {
    case 'call-model':
      return decision.way === undefined ? unusable() : callModel(decision.way, turn, watch);
    case 'execute-tools':
      push(turn, { role: 'tool', parts: [...decision.calls.map(unknownTool), ...decision.refused] });
      return undefined;
    case 'wait-for-client':
      return callsAnswer(decision.calls, turn);
    case 'finish':
      return acceptedAnswer(turn);
    case 'fail':
      return decision.error.reason === 'refused'
        ? refusal(decision.error, turn)
        : { type: 'failed', failure: notAnswered(decision.error, turn.view) };
    // Compaction and the context limit do not exist here.
    case 'compact':
      return unusable();
    default:
      return decision satisfies never;
  }
}

async function callModel(
  choice: Way,
  turn: ViewedTurn,
  watch: FormatWatch,
): Promise<WireOutcome | undefined> {
  const { activeRequest: active } = turn.view;
  if (active.type !== 'open') return unusable();
  const form = textForm(choice, active.request.format, { model: turn.model.model, rows: turn.rows });
  const isCallDue = turn.refused.correcting.length === active.request.steps;
  const step = formatStep(choice, { ...turn, active: active.request, form, isCallDue });
  const asked = await askModel({ ...step, signal: watch.signal }, watch, choice);
  if (asked.type === 'replied') {
    commit(asked.reply, { way: choice, form, active: active.request }, turn);
    return undefined;
  }
  // After a refused step another one is tried. If none is left, the refusal is the answer.
  const { isRefusal, error } = asked.read;
  if (!isRefusal || !noteRefusal(error, choice, askedModel(turn), turn.climb)) {
    return { type: 'failed', failure: asked.read.failure };
  }
  const next = decide(turn.view, settingsOf(turn));
  return next.type === 'fail' ? { type: 'failed', failure: asked.read.failure } : undefined;
}

function askedModel({ model, request }: Turn): AskedForm {
  return { model, schema: request.format.schema };
}

interface FormatStep {
  readonly way: Way;
  readonly form: TextForm | undefined;
  readonly active: OpenRequest;
}

function commit(reply: StepReply, { way, form, active }: FormatStep, turn: Turn): void {
  const { mode } = way;
  const { finishReason, modelId, usage } = reply;
  const parts = restoreParts(reply.parts, form);
  const settled = settleStep({ parts, finishReason, mode, isDemonstrated: form?.isDemonstrated }, active);
  noteReply(reply, settled, { ...askedModel(turn), way, climb: turn.climb });
  const step = {
    finishReason,
    model: modelId,
    ...(usage !== undefined && { usage }),
    mode,
    ...(form?.unenforced !== undefined && { unenforced: form.unenforced }),
  };
  push(turn, { role: 'assistant', parts: settled.assistant, step });
  if (settled.results.length > 0) push(turn, { role: 'tool', parts: settled.results });
  if (settled.corrective !== undefined) {
    push(turn, { role: 'user', parts: [settled.corrective], visibility: 'model' });
  }
}

function push({ rows }: Turn, content: RowContent): void {
  rows.push(makeRow(rows.length + 1, content));
}

/** Returns undefined if the model is asked again, because the arguments of a judged call do not fit. */
function callsAnswer(calls: readonly ToolCallPart[], turn: Turn): WireOutcome | undefined {
  const { request, rows, refused: past } = turn;
  const { accepted, refused, isValue, results } = judgeCalls(
    callerCalls(calls, request),
    request.functions ?? new Map(),
  );
  if (refused !== undefined) {
    past.attempts.push(refused.attempt);
    if (past.attempts.length === MAX_TRIES) return unproduced('validation_exhausted', past.attempts);
    const from = rows.length - 1;
    if (asksAnew({ isValue, isCorrecting: past.correcting.length > 0 })) {
      past.hidden.push(...rows.splice(past.correcting.splice(0)[0] ?? from));
      askFunctionsAnew(past, refused);
      return undefined;
    }
    const step = rows.pop();
    if (step !== undefined) rows.push({ ...step, parts: keptParts(step.parts, callerCalls(calls, request)) });
    push(turn, { role: 'tool', parts: results });
    past.correcting.push(from);
    return undefined;
  }
  return {
    type: 'answered',
    text: textOf(turn),
    calls: accepted,
    finishReason: 'tool_calls',
    usage: usageOf(turn),
  };
}

function textOf({ rows }: Turn): string {
  const said = rows.findLast(({ role }) => role === 'assistant')?.parts ?? [];
  return said.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function acceptedAnswer(turn: ViewedTurn): WireOutcome {
  const { activeRequest: active } = turn.view;
  if (active.type !== 'accepted') return unusable();
  const { valueText } = active.answer;
  const text = turn.request.format.isWrapped ? memberText(valueText, [WRAPPED_ROOT_KEY]) : valueText;
  return textAnswer(text ?? valueText, usageOf(turn));
}

/**
 * Returns the model's text in the wire's refusal field. Without a text it is an error, and so is an
 * answer that a filter cut: its beginning explains nothing.
 */
function refusal(error: RequestError, turn: ViewedTurn): WireOutcome {
  const said = textOf(turn);
  if (said.trim() === '' || BEGUN_JSON.test(said)) {
    return { type: 'failed', failure: { ...notAnswered(error, turn.view), code: 'model_refused' } };
  }
  return { ...textAnswer('', usageOf(turn)), refusal: said };
}

const BEGUN_JSON = /^\s*(?:`{3,}\s*(?:json)?\s*)?[{["]/iu;

function notAnswered(
  { code, reason, message }: RequestError,
  { activeRequest: active }: TurnView,
): Extract<WireOutcome, { readonly type: 'failed' }>['failure'] {
  const attempts = active.type === 'open' ? active.request.attempts : [];
  return {
    status: 422,
    type: 'structured_output_error',
    code,
    message,
    ...(reason !== undefined && { reason }),
    ...(attempts.length > 0 && { attempts }),
  };
}

/** Adds the usage of all calls, whether an answer was accepted or not. */
function withUsage(outcome: WireOutcome, turn: Turn): WireOutcome {
  const usage = usageOf(turn);
  if (outcome.type !== 'failed' || usage === undefined) return outcome;
  return { ...outcome, failure: { ...outcome.failure, usage } };
}

function unusable(): WireOutcome {
  const message = 'The server produced no answer. Send the request again, and report it if it fails again.';
  return { type: 'failed', failure: { status: 500, type: 'server_error', code: 'internal_error', message } };
}

function usageOf({ rows, refused: { hidden } }: Turn): Usage | undefined {
  return sumUsage([...hidden, ...rows].map(({ step }) => step?.usage));
}
