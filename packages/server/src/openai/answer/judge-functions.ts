/**
 * Judge of the caller's functions: their arguments are validated by their own schema, as an answer is
 * by its format. Pure.
 */
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { tellsSchema } from '@truecast/core/internal/output/finalizer/answer-loop';
import { withToldArguments } from '@truecast/model/internal/modes/told-schema';
import type { ModelMessage } from 'ai';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { ToolCallPart, ToolResultPart } from '@truecast/client/internal/wire/message-parts';
import type { ReceiptAttempt } from '@truecast/client/internal/wire/receipt';
import type { MessageRow, RowPart } from '../../contract/rows.ts';
import { judgeStep } from '../../finalizer/judge-call.ts';
import { rejectedCallText } from '../../finalizer/rejection-texts.ts';
import { parseResponseFormat, type ResponseFormat } from '../../format/parse-response-format.ts';
import { DEFAULT_REQUEST_LIMITS } from '../../format/request-limits.ts';
import { readFormatPart, toFormatPart, type StoredFormat } from '../../format/stored-format.ts';
import type { ToolDefinition } from '../../models/step-request.ts';
import { notProduced } from '../../turn/turn-failure.ts';
import type { WireOutcome } from '../wire/wire-answer.ts';
import { refused, type WireFailure } from '../wire/wire-failure.ts';
import type { WireRequest } from '../wire/wire-request.ts';

/** A function whose arguments are judged. */
export interface JudgedFunction {
  readonly format: ResponseFormat;
  readonly stored: StoredFormat;
}

export type JudgedFunctions = ReadonlyMap<string, JudgedFunction>;

/** Returns true if the caller forces a call. */
export function isForced({ toolChoice }: Pick<WireRequest, 'toolChoice'>): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object';
}

/**
 * Returns the functions that a request judges: those of a forced choice, else the strict ones. Or the
 * reason why one cannot be judged.
 */
export function judgedFunctions(request: WireRequest): Map<string, JudgedFunction> | WireFailure {
  const { tools, toolChoice } = request;
  const judged = new Map<string, JudgedFunction>();
  if (toolChoice === 'none') return judged;
  for (const [index, tool] of tools.entries()) {
    const isChosen = typeof toolChoice === 'object' ? toolChoice.name === tool.name : isForced(request);
    if (!isChosen && tool.strict !== true) continue;
    const made = judgedFunction(tool, index);
    if ('status' in made) return made;
    judged.set(tool.name, made);
  }
  return judged;
}

function judgedFunction(tool: ToolDefinition, index: number): JudgedFunction | WireFailure {
  const { name, description, inputSchema } = tool;
  const field = `tools[${index}].function.parameters`;
  const json_schema = { name, schema: inputSchema, strict: false };
  const parsed = parseResponseFormat(JSON.stringify({ type: 'json_schema', json_schema }), {
    field,
    wire: 'openai',
  });
  if (parsed.type !== 'json_schema') {
    const [problem] = parsed.type === 'refused' ? parsed.problems : [];
    const place = problem?.pointer === undefined ? `\`${field}\`` : `\`${field}\` at \`${problem.pointer}\``;
    return refused('tools', `${place}: ${problem?.detail ?? 'Is not the schema of an object.'}`);
  }
  const format = { ...parsed.format, ...(description !== '' && { description }) };
  const stored = readFormatPart(
    toFormatPart(format, { requestId: 'function', limits: DEFAULT_REQUEST_LIMITS }),
  );
  return stored === undefined || format.isWrapped
    ? refused('tools', `\`${field}\`: Must be the schema of an object.`)
    : { format, stored };
}

/** A judged call: as the caller gets it, or with its problem. */
export type JudgedArguments =
  | { readonly type: 'accepted'; readonly call: ToolCallPart }
  | { readonly type: 'rejected'; readonly attempt: ReceiptAttempt };

/** Judges a call. A call of a function that is not judged is accepted as it came. */
function judgeArguments(call: ToolCallPart, functions: JudgedFunctions): JudgedArguments {
  const asked = functions.get(call.tool_name)?.stored;
  if (asked === undefined) return { type: 'accepted', call };
  const judged = judgeStep({ text: call.args }, asked, 'text');
  if (judged.type === 'accepted') {
    const args = judged.repairs.length === 0 ? call.args : judged.valueText;
    return { type: 'accepted', call: { ...call, args } };
  }
  if (judged.type === 'none') return { type: 'rejected', attempt: { code: 'empty' } };
  const { code, issues } = judged;
  return { type: 'rejected', attempt: { code, ...(issues.length > 0 && { issues }) } };
}

interface RefusedCall {
  readonly attempt: ReceiptAttempt;
  readonly asked: StoredFormat | undefined;
}

export interface JudgedCalls {
  readonly accepted: readonly ToolCallPart[];
  /** The first refusal, and its function. Undefined if each call is accepted. */
  readonly refused: RefusedCall | undefined;
  /** True if a call has arguments to correct, or its own result. */
  readonly isValue: boolean;
  /** A result for each call: services refuse a conversation in which one has none. */
  readonly results: readonly ToolResultPart[];
}

export function judgeCalls(calls: readonly ToolCallPart[], functions: JudgedFunctions): JudgedCalls {
  const judged = calls.map((call) => ({ call, verdict: judgeArguments(call, functions) }));
  const rejected = judged.flatMap(({ call, verdict }): readonly RefusedCall[] =>
    verdict.type === 'rejected'
      ? [{ attempt: verdict.attempt, asked: functions.get(call.tool_name)?.stored }]
      : [],
  );
  const accepted = judged.flatMap(({ verdict }) => (verdict.type === 'accepted' ? [verdict.call] : []));
  return {
    accepted,
    refused: rejected[0],
    isValue: rejected.some(({ attempt: { code } }) => code === 'invalid') || accepted.length > 0,
    results: judged.map(({ call: { tool_call_id, tool_name }, verdict }): ToolResultPart => ({
      type: 'tool_result',
      tool_call_id,
      tool_name,
      result: rejectedCallText(tool_name, verdict.type === 'rejected' ? verdict.attempt : undefined),
      is_error: true,
    })),
  };
}

/** How a question differs from the first one after calls that were refused. */
export interface AskedFunctions {
  /** How often it was asked anew. Added to the seed. */
  renewals: number;
  /** The function whose arguments were corrected in vain. */
  told?: StoredFormat | undefined;
}

/** Calls of a turn whose arguments were refused. */
export interface RefusedCalls extends AskedFunctions {
  readonly attempts: ReceiptAttempt[];
  /** Where the rows of a refused call begin that the model still reads. */
  readonly correcting: number[];
  /** Rows that it no longer reads. */
  readonly hidden: MessageRow[];
}

/** Notes that the question is asked anew. */
export function askFunctionsAnew(anew: AskedFunctions, { attempt, asked }: RefusedCall): void {
  anew.renewals += 1;
  if (tellsSchema(attempt.code)) anew.told = asked;
}

/** Adds the arguments of a function that were corrected in vain, in words. */
export function withToldFunction(
  messages: readonly ModelMessage[],
  { told }: AskedFunctions,
): readonly ModelMessage[] {
  return told === undefined ? messages : withToldArguments(messages, told);
}

/** The result of a call of a tool that was not offered. */
export function unknownTool({ tool_call_id, tool_name }: ToolCallPart): ToolResultPart {
  const result = `There is no tool of that name. Call one that was offered, or hand in the answer with \`${FINALIZER_NAME}\`.`;
  return { type: 'tool_result', tool_call_id, tool_name, result, is_error: true };
}

/** Returns the parts of a step that is asked again, without calls that have no result. */
export function keptParts(parts: readonly RowPart[], calls: readonly ToolCallPart[]): readonly RowPart[] {
  return parts.flatMap((part): readonly RowPart[] => {
    if (part.type !== 'tool_call' || part.provider_executed === true) return [part];
    if (!calls.some(({ tool_call_id }) => tool_call_id === part.tool_call_id)) return [];
    return [parseJson(part.args).success ? part : { ...part, args: '{}' }];
  });
}

/** Calls of a model for one accepted step. */
export const MAX_TRIES = 3;

/** Failure of a request without a call whose arguments fit. */
export function unproduced(
  reason: Parameters<typeof notProduced>[0],
  attempts: readonly ReceiptAttempt[],
): Extract<WireOutcome, { readonly type: 'failed' }> {
  const failure = { status: 422, type: 'structured_output_error', ...notProduced(reason), attempts } as const;
  return { type: 'failed', failure };
}
