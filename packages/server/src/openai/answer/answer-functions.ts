/**
 * Answers a request whose calls are judged: a forced call is an answer with the function's schema as
 * its format, and a call of a strict function is asked for again while its arguments are invalid.
 */
import { randomUUID } from 'node:crypto';
import { sumUsage, type Usage } from '@truecast/core/internal/kit/usage';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { asksAnew } from '@truecast/core/internal/output/finalizer/answer-loop';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { Way } from '@truecast/model/internal/ladder/choose-way';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import type { MessageRow } from '../../contract/rows.ts';
import type { ResponseFormat } from '../../format/parse-response-format.ts';
import { turnView } from '../../format/turn-view.ts';
import type { ChatModel } from '../../models/chat-model.ts';
import type { StepReply } from '../../models/step-request.ts';
import { nextSeed } from '../../turn/asked-anew.ts';
import { providerMessages } from '../../turn/provider-messages.ts';
import type { WireOutcome } from '../wire/wire-answer.ts';
import type { WireMessage, WireRequest } from '../wire/wire-request.ts';
import { makeRow, rowsOf } from '../wire/wire-rows.ts';
import { answerFormat, isCutFinal } from './answer-format.ts';
import { callerCalls, type AnswerWatch } from './answer-text.ts';
import { askModel } from './ask-model.ts';
import { interrupted } from './interrupted.ts';
import { stepAnswer } from './step-answer.ts';
import {
  askFunctionsAnew,
  isForced,
  judgeCalls,
  keptParts,
  MAX_TRIES,
  unproduced,
  withToldFunction,
  type AskedFunctions,
  type JudgedFunctions,
} from './judge-functions.ts';

/** A forced call then has the schema mode left. */
const MAX_FORCED_TRIES = 2;

/** Progress over the tries. */
interface Tried {
  readonly attempts: ReceiptAttempt[];
  readonly usages: (Usage | undefined)[];
}

/** Asks for a step whose judged calls have valid arguments. */
export async function answerFunctions(
  request: WireRequest,
  functions: JudgedFunctions,
  { model, watch }: { readonly model: ChatModel; readonly watch: AnswerWatch },
): Promise<WireOutcome> {
  const tried: Tried = { attempts: [], usages: [] };
  const isCallForced = isForced(request);
  const bySchema = (): Promise<WireOutcome> => answerBySchema(request, functions, { model, watch, tried });
  if (isCallForced && !canBeForced(model)) return bySchema();
  const rows: MessageRow[] = rowsOf(request.messages);
  const asked = rows.length;
  const anew: AskedFunctions = { renewals: 0 };
  let said = '';
  for (let tries = 1; ; tries += 1) {
    const step = await askForStep(request, { rows, anew }, { model, watch });
    if (watch.signal.aborted) return interrupted();
    if (step.type === 'failed') {
      return isCallForced && step.read.isRefusal
        ? bySchema()
        : { type: 'failed', failure: step.read.failure };
    }
    const { reply } = step;
    tried.usages.push(reply.usage);
    said += textOf(reply);
    const calls = callerCalls(reply.parts, request);
    if (reply.finishReason === 'runaway') tried.attempts.push({ code: 'runaway' });
    if (isCallForced && calls.length === 0) return bySchema();
    const { accepted, refused, isValue, results } = judgeCalls(calls, functions);
    if (refused === undefined) {
      return stepAnswer(reply, { text: said, calls: accepted, usage: usageOf(tried) });
    }
    tried.attempts.push(refused.attempt);
    const isCut = reply.finishReason === 'length';
    if (isCut && isCutFinal(request, model)) return withTried(unproduced('truncated', []), tried);
    if (isCallForced && tries === MAX_FORCED_TRIES) return bySchema();
    const reason = isCut ? 'truncated' : 'validation_exhausted';
    if (tries === MAX_TRIES) return withTried(unproduced(reason, []), tried);
    // Calls of functions that are not judged need their results, whatever is asked anew.
    if (asksAnew({ isValue, isCorrecting: rows.length > asked })) {
      rows.splice(asked);
      askFunctionsAnew(anew, refused);
    } else {
      rows.push(
        makeRow(rows.length + 1, { role: 'assistant', parts: keptParts(reply.parts, calls) }),
        makeRow(rows.length + 2, { role: 'tool', parts: results }),
      );
    }
  }
}

/**
 * Services of known make obey a forced call. Other servers often drop it in silence, so they are asked
 * by the ladder of the answer.
 */
function canBeForced({ capabilities }: ChatModel): boolean {
  return capabilities.takesTools && capabilities.isLearned !== true;
}

interface AskedStep {
  readonly rows: readonly MessageRow[];
  readonly anew: AskedFunctions;
}

function askForStep(
  request: WireRequest,
  { rows, anew }: AskedStep,
  { model, watch }: { readonly model: ChatModel; readonly watch: AnswerWatch },
): ReturnType<typeof askModel> {
  const { onText, ...rest } = watch;
  const isHeld = isForced(request);
  const { tools, toolChoice, sampling } = request;
  const messages = providerMessages(turnView(rows, { planMode: false }));
  return askModel(
    {
      model,
      messages: withToldFunction(messages, anew),
      tools,
      toolChoice,
      sampling: { ...sampling, ...nextSeed(sampling.seed ?? model.sampling?.seed, anew) },
      ...(request.maxOutputTokens !== undefined && { maxOutputTokens: request.maxOutputTokens }),
      signal: watch.signal,
      ...(!isHeld && {
        onLivePart: (part) => {
          if (part.type === 'text-delta') onText(part.text);
        },
      }),
    },
    rest,
    isHeld ? forcedWay(request) : undefined,
  );
}

function forcedWay({ toolChoice }: WireRequest): Way {
  const step = typeof toolChoice === 'object' ? 'named' : 'required';
  return { mode: 'tool', step, stopsThinking: false, hasReminder: false };
}

/** The function is chosen first if there are several. Then its arguments are the answer. */
async function answerBySchema(
  request: WireRequest,
  functions: JudgedFunctions,
  { model, watch, tried }: { readonly model: ChatModel; readonly watch: AnswerWatch; readonly tried: Tried },
): Promise<WireOutcome> {
  const ask = async (format: ResponseFormat, told: string): Promise<WireOutcome> => {
    const messages = withSystem(request.messages, told);
    const rest = { tools: [], toolChoice: 'auto' as const };
    const outcome = await answerFormat({ ...request, ...rest, messages, format }, model, watch);
    return withTried(outcome, tried);
  };
  const names = [...functions.keys()];
  let [name = ''] = names;
  if (names.length > 1) {
    const chosen = await ask(choiceFormat(names), choiceText(functions));
    if (chosen.type === 'failed' || chosen.refusal !== undefined) return chosen;
    tried.usages.splice(0, Infinity, chosen.usage);
    const parsed = parseJson(chosen.text);
    const picked = parsed.success && isRecord(parsed.value) ? parsed.value[CHOICE_KEY] : undefined;
    name = names.find((each) => each === picked) ?? name;
  }
  const chosen = functions.get(name);
  if (chosen === undefined) return withTried(unproduced('validation_exhausted', []), tried);
  const { description = '' } = chosen.format;
  const about = description === '' ? '' : ` ${description}`;
  const outcome = await ask(
    chosen.format,
    `Your answer is the arguments of the function \`${name}\`.${about}`,
  );
  if (outcome.type === 'failed' || outcome.refusal !== undefined) return outcome;
  const call: ToolCallPart = {
    type: 'tool_call',
    tool_call_id: `call_${randomUUID()}`,
    tool_name: name,
    args: outcome.text,
  };
  return { ...outcome, text: '', calls: [call], finishReason: 'tool_calls' };
}

const CHOICE_KEY = 'function';

function choiceFormat(names: readonly string[]): ResponseFormat {
  const schema = {
    type: 'object',
    properties: { [CHOICE_KEY]: { type: 'string', enum: [...names] } },
    required: [CHOICE_KEY],
    additionalProperties: false,
  };
  return { name: 'choose_function', schema, isWrapped: false };
}

function choiceText(functions: JudgedFunctions): string {
  const lines = [...functions].map(([name, { format }]) => `- ${name}: ${format.description ?? ''}`);
  return ['Choose the function that does what the user wants:', ...lines].join('\n');
}

/** Many templates accept a system message at the beginning only. */
function withSystem(messages: readonly WireMessage[], text: string): readonly WireMessage[] {
  const [first, ...rest] = messages;
  return first?.role === 'system'
    ? [{ ...first, parts: [...first.parts, { type: 'text', text: `\n\n${text}` }] }, ...rest]
    : [{ role: 'system', parts: [{ type: 'text', text }], field: 'messages' }, ...messages];
}

function textOf({ parts }: StepReply): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function usageOf({ usages }: Tried): Usage | undefined {
  return sumUsage(usages);
}

/** Adds the calls before the schema mode. */
function withTried(outcome: WireOutcome, tried: Tried): WireOutcome {
  if (outcome.type === 'answered') return { ...outcome, usage: sumUsage([...tried.usages, outcome.usage]) };
  const { failure } = outcome;
  const attempts = [...tried.attempts, ...(failure.attempts ?? [])];
  const usage = sumUsage([...tried.usages, failure.usage]);
  return {
    type: 'failed',
    failure: {
      ...failure,
      ...(attempts.length > 0 && { attempts }),
      ...(usage !== undefined && { usage }),
    },
  };
}
