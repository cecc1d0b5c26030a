/** A function of a caller, its right and wrong arguments, and a request that forces it. */
import type OpenAI from 'openai';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import type { Wire } from './start-wire.ts';

type Tool = OpenAI.ChatCompletionFunctionTool;

/** The schema of the arguments. */
export const parameters: Readonly<Record<string, unknown>> = {
  type: 'object',
  properties: { customer: { type: 'string' }, state: { type: 'string', enum: ['open', 'paid'] } },
  required: ['customer', 'state'],
  additionalProperties: false,
};
/** The function. */
export const order: Tool = {
  type: 'function',
  function: { name: 'order', description: 'Files an order.', parameters },
};
/** Forces it. */
export const named: OpenAI.ChatCompletionNamedToolChoice = { type: 'function', function: { name: 'order' } };
/** The question. */
export const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Ines pays.' }];
/** Arguments that fit. */
export const RIGHT: Readonly<Record<'customer' | 'state', string>> = { customer: 'Ines', state: 'paid' };
/** Arguments that do not. */
export const WRONG: Readonly<Record<'customer', number>> = { customer: 5 };
/** A model that needs two calls. */
export const STUMBLING: ModelScript = [reply.tool('order', WRONG), reply.tool('order', RIGHT)];

/** A call, as the caller gets it. */
export interface ReceivedCall {
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly reason: string | undefined;
}

/** Asks with a forced function, and returns the first call. */
export async function forced(
  wire: Wire,
  body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming> = {},
): Promise<ReceivedCall> {
  const { choices } = await wire.client.chat.completions.create({
    model: 'test',
    messages,
    tools: [order],
    tool_choice: named,
    ...body,
  });
  const [choice] = choices;
  const [call] = choice?.message.tool_calls ?? [];
  if (call?.type !== 'function') throw new TypeError('The reply has no call.');
  const args: unknown = JSON.parse(call.function.arguments);
  return { id: call.id, name: call.function.name, args, reason: choice?.finish_reason };
}
