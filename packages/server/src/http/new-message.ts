/** Converts a body to a message and its request. */
import { createHash, randomUUID } from 'node:crypto';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { MessageBody } from '@truecast/client/internal/wire/message';
import { planModeProblem } from '../format/plan-mode.ts';
import { toFormatPart } from '../format/stored-format.ts';
import type { NewMessage } from '../state/rows/append-messages.ts';
import { traceOf } from '@truecast/model/internal/telemetry/traceparent';
import { refuseField, type Call } from './route.ts';

/** The chat fields that decide whether a message is accepted. */
export interface TargetChat {
  readonly planMode: boolean;
  readonly clientId?: string | undefined;
}

/** Builds the message. @throws RequestRefusedError if the format conflicts with the chat */
export function toNewMessage(
  { body: { value, format }, trace }: Pick<Call<MessageBody, unknown>, 'body' | 'trace'>,
  { clientId, ...chat }: TargetChat,
): NewMessage {
  const hasFormat = format.type === 'json_schema';
  const plan = { chatPlanMode: chat.planMode, messagePlanMode: value.plan_mode, hasFormat };
  const problem = planModeProblem(plan);
  if (problem !== undefined) throw refuseField(problem.field, problem.detail, problem.pointer);
  const { content } = value;
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const message = {
    parts,
    ...traceOf(trace),
    ...(value.plan_mode !== undefined && { planMode: value.plan_mode }),
    ...(clientId !== undefined && { clientId }),
  };
  if (format.type === 'text') return message;
  const part = toFormatPart(format.format, { requestId: randomUUID(), limits: format.limits });
  return { ...message, request: { format: part, schemaHash: hashOfSchema(format.format.schema) } };
}

/** Returns the SHA-256 of a schema's canonical JSON, in hex. */
export function hashOfSchema(schema: JsonSchema): string {
  return createHash('sha256').update(canonicalJson(schema)).digest('hex');
}

/** Returns the id of the opened request, as a response member. */
export function requestIdOf({ request }: NewMessage): { readonly request_id?: string } {
  return request === undefined ? {} : { request_id: request.format.request_id };
}
