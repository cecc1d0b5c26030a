/**
 * Answers a request with a coding agent: the conversation is its prompt, and its answer is
 * validated here again.
 */
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import type { AgentReply, AgentRunner, AgentTask } from '../../agents/agent-runner.ts';
import { isLeft, STOPS } from '../../agents/stop-reason.ts';
import { workOfFailure } from '../../agents/work-of-failure.ts';
import { judgeStep } from '../../finalizer/judge-call.ts';
import type { ResponseFormat } from '../../format/parse-response-format.ts';
import { readFormatPart } from '../../format/stored-format.ts';
import { memberText } from '@truecast/core/internal/json/text/member-text';
import { WRAPPED_ROOT_KEY } from '@truecast/core/internal/schema/wrap-root';
import { interrupted } from './interrupted.ts';
import { refused, type WireFailure } from '../wire/wire-failure.ts';
import { textAnswer, type WireOutcome } from '../wire/wire-answer.ts';
import { requestRow } from '../wire/wire-rows.ts';
import { observedAgent } from '../../models/observed-agent.ts';
import { derivedId } from '../../state/client-ids/derived-id.ts';
import type { CallWatch } from './ask-model.ts';
import type { WireRequest, WireMessage } from '../wire/wire-request.ts';

/** The text after a colon is passed to a program as its model. */
const AGENT_MODEL = /^agent\/([a-z][a-z0-9-]*)(?::([A-Za-z0-9][\w.:/-]{0,127}))?$/u;

/** Parses `agent/<name>` and `agent/<name>:<model>`. Undefined for any other name. */
export function parseAgentModel(id: string): Pick<AgentTask, 'agent' | 'model'> {
  const [, agent = '', model] = AGENT_MODEL.exec(id) ?? [];
  return { agent, ...(model !== undefined && { model }) };
}

/** The agent runner and its observers. */
export interface AgentWatch extends Pick<CallWatch, 'onModelCall' | 'origin' | 'processes' | 'trace'> {
  readonly runner: AgentRunner;
  readonly signal: AbortSignal;
  /** Id of the response. */
  readonly responseId: string;
  /** Key of the request, with which its caller can send it again. @default none */
  readonly idempotencyKey?: string | undefined;
  readonly onFault?: (error: unknown) => void;
}

/** Runs an agent on the task of the conversation. */
export async function answerAgent(
  request: WireRequest,
  { runner, onFault, onModelCall: onCall, origin = {}, processes, trace, ...watch }: AgentWatch,
): Promise<WireOutcome> {
  const signal = watch.idempotencyKey === undefined ? watch.signal : leavingSignal(watch.signal);
  const prompt = conversationPrompt(request);
  if (typeof prompt !== 'string') return { type: 'failed', failure: prompt };
  const { format } = request;
  const task: AgentTask = {
    ...parseAgentModel(request.model),
    prompt,
    signal,
    caller: callerOf(request, { origin, ...watch }),
    ...(format !== undefined && { output: outputOf(format) }),
  };
  try {
    const reply = await observedAgent(runner, task, { onCall, origin, processes, trace });
    const outcome = format === undefined ? textAnswer(reply.text, reply.usage) : validated(reply, format);
    const { work, runId } = reply;
    if (outcome.type === 'failed') return outcome;
    return { ...outcome, ...(work !== undefined && { work }), ...(runId !== undefined && { runId }) };
  } catch (error) {
    if (signal.aborted) {
      return interrupted(runner.isDurable === true && isLeft(signal) ? task.caller.taskId : undefined);
    }
    if (!TruecastError.isInstance(error)) onFault?.(error);
    return { type: 'failed', failure: agentFailure(error) };
  }
}

function outputOf({
  name,
  description,
  schema,
  isWrapped,
}: ResponseFormat): NonNullable<AgentTask['output']> {
  return { name, schema, isWrapped, ...(description !== undefined && { description }) };
}

/** The caller of a request with a key can send it again, and gets the result of the same run. */
function callerOf(
  request: WireRequest,
  {
    origin = {},
    responseId,
    idempotencyKey: key,
  }: Pick<AgentWatch, 'origin' | 'responseId' | 'idempotencyKey'>,
): AgentTask['caller'] {
  const { ownerId: owner = '' } = origin;
  const { model, messages, format } = request;
  const asked = JSON.stringify([model, messages, format]);
  return {
    owner,
    parent: { id: responseId, relation: 'response' },
    taskId: derivedId(key === undefined ? [responseId] : [owner, key, asked]),
  };
}

/** Signal of work that continues without its caller. */
function leavingSignal(signal: AbortSignal): AbortSignal {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(STOPS.unwatched);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return leaving.signal;
}

/**
 * The runner has validated the answer, but this server is responsible for it and validates it
 * again.
 */
function validated({ text, usage }: AgentReply, format: ResponseFormat): WireOutcome {
  const part = requestRow(1, format).parts.find(({ type }) => type === 'response_format');
  const stored = part?.type === 'response_format' ? readFormatPart(part) : undefined;
  const judged = stored === undefined ? undefined : judgeStep({ text }, stored, 'text');
  if (judged?.type !== 'accepted') {
    return {
      type: 'failed',
      failure: notProduced('The answer of the agent does not fit its schema. Send the request again.'),
    };
  }
  const inner = format.isWrapped ? memberText(judged.valueText, [WRAPPED_ROOT_KEY]) : undefined;
  return textAnswer(inner ?? judged.valueText, usage);
}

function agentFailure(error: unknown): WireFailure {
  const withWork = (message: string): string => [message, ...workOfFailure(error)].join(' ');
  if (StructuredOutputError.isInstance(error)) return notProduced(withWork(error.message));
  const [code, message] = TruecastError.isInstance(error)
    ? [error.code, withWork(error.message)]
    : ['agent_failed', 'The agent could not be run. Read the server log.'];
  return { status: 422, type: 'model_error', code, message };
}

function notProduced(message: string): WireFailure {
  return { status: 422, type: 'structured_output_error', code: 'structured_output_not_produced', message };
}

/** Error for an unknown agent name. */
export function unknownAgent(model: string, names: readonly string[]): WireFailure {
  const known = names.length === 0 ? 'This server runs no agents' : `Agents are ${names.join(', ')}`;
  const { message, ...rest } = refused(
    'model',
    `The agent of \`${model.slice(0, 100)}\` does not exist. ${known}.`,
  );
  return { ...rest, message, status: 404, code: 'model_not_found' };
}

/** Returns the prompt, or the reason why an agent cannot answer the request. */
function conversationPrompt({ messages, tools }: WireRequest): string | WireFailure {
  if (tools.length > 0) {
    return refused('tools', '`tools`: An agent has its own tools, and cannot call yours. Leave them out.');
  }
  const odd = messages.find(
    ({ role, parts }) => role === 'tool' || parts.some(({ type }) => type !== 'text'),
  );
  if (odd !== undefined) return refused(odd.field, `\`${odd.field}\`: An agent accepts only text.`);
  const system = messages.filter(({ role }) => role === 'system').map(textOf);
  const talk = messages.filter(({ role }) => role !== 'system');
  const [only] = talk;
  const said = talk.length === 1 && only !== undefined ? textOf(only) : transcript(talk);
  return [...system, said].filter((text) => text !== '').join('\n\n');
}

function transcript(messages: readonly WireMessage[]): string {
  const lines = messages.map(
    (message) => `${message.role === 'user' ? 'User' : 'Assistant'}:\n${textOf(message)}`,
  );
  return ['This is the conversation so far. Do what its last message asks for.', ...lines].join('\n\n');
}

function textOf({ parts }: WireMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
