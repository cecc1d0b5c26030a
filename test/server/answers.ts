/** Owns what tests of turns ask for and what their model hands in. */
import { FINALIZER_NAME } from '../../src/output/finalizer/finalizer-tool.ts';
import type { DynamicTool } from '../../src/server/contract/rows.ts';
import { reply, type MessageReply } from '../../src/testing/scripted-model/scripted-reply.ts';

/** The schema of `{ n }`. */
export const COUNT: object = {
  type: 'object',
  properties: { n: { type: 'integer' } },
  required: ['n'],
  additionalProperties: false,
};

/** A tool that the client runs. */
export const ASK_USER: DynamicTool = {
  name: 'ask_user',
  description: 'Asks the user.',
  input_schema: { type: 'object' },
};

/** Hands in an answer, written exactly so. */
export function submit(args: string): MessageReply {
  return reply.toolText(FINALIZER_NAME, args);
}

/** Makes an id that no other test has. */
export function newRequestId(): string {
  return crypto.randomUUID();
}
