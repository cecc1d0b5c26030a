/**
 * Spoken text: what a model wrote on a route without tools, also if it called a tool that it was
 * not offered. Pure.
 */
import type { ModelMessage } from 'ai';
import type { Repair } from '@truecast/core/internal/output/definition/provenance';
import { saidIn, type ModelReply } from '../call/model-reply.ts';

/** Text that can contain the answer. */
export interface SpokenText {
  readonly text: string;
  readonly repairs: readonly Repair[];
}

/** Returns the reply's text, or the input of its last call if it has no text. */
export function spokenIn(reply: ModelReply): SpokenText {
  const { text, toolCalls } = reply;
  if (text.trim() !== '' || toolCalls.length === 0) return { text, repairs: [] };
  return { text: saidIn(reply) ?? '', repairs: [{ kind: 'answer-in-tool-call', path: [] }] };
}

/**
 * Returns the reply as messages without tool calls. A call of a tool that was not offered has no
 * result, and services reject a conversation with an open call.
 */
export function messagesWithoutCalls(reply: ModelReply): readonly ModelMessage[] {
  if (reply.toolCalls.length === 0) return reply.messages;
  const said = [reply.text, ...reply.toolCalls.map(({ input }) => textOf(input))];
  const content = said.filter((each) => each !== '').join('\n');
  return content === '' ? [] : [{ role: 'assistant', content }];
}

function textOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
