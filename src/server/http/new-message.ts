/** Owns making a message of a body: its parts, and the request that it opens. */
import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '../../schema/canonical-json.ts';
import type { DynamicTool } from '../contract/rows.ts';
import type { MessageBody } from '../contract/wire/message-wire.ts';
import { dynamicToolProblem } from '../finalizer/protect-name.ts';
import { planModeProblem } from '../format/plan-mode.ts';
import { toFormatPart } from '../format/stored-format.ts';
import type { NewMessage } from '../state/append-messages.ts';
import type { ReadBody } from './read-body.ts';
import { refuseField } from './route.ts';

/** The chat that a message is for, as far as it decides what may be asked. */
export interface TargetChat {
  readonly dynamicTools: readonly DynamicTool[];
  readonly planMode: boolean;
}

/** Makes the message. @throws RequestRefusedError where a format does not go with the chat */
export function toNewMessage({ value, format }: ReadBody<MessageBody>, chat: TargetChat): NewMessage {
  const hasFormat = format.type === 'json_schema';
  const plan = { chatPlanMode: chat.planMode, messagePlanMode: value.plan_mode, hasFormat };
  const problem = planModeProblem(plan) ?? dynamicToolProblem(chat.dynamicTools, hasFormat);
  if (problem !== undefined) throw refuseField(problem.field, problem.detail, problem.pointer);
  const { content } = value;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const message = { parts, ...(value.plan_mode !== undefined && { planMode: value.plan_mode }) };
  if (format.type === 'text') return message;
  const part = toFormatPart(format.format, { requestId: randomUUID(), limits: format.limits });
  const schemaHash = createHash('sha256').update(canonicalJson(format.format.schema)).digest('hex');
  return { ...message, request: { format: part, schemaHash } };
}

/** Returns the id of the request that the message opens, as a member of an answer. */
export function requestIdOf({ request }: NewMessage): { readonly request_id?: string } {
  return request === undefined ? {} : { request_id: request.format.request_id };
}
