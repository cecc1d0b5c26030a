/** Formats and answers for tests of turns. */
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import type { DynamicTool } from '../../packages/server/src/contract/rows.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

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

/** Pieces of a large answer. Each piece of a stream takes as long as another one, whatever its size. */
const LARGE_PIECE_CHARS = 4_096;

/** Submits an answer with exactly this text. */
export function submit(args: string): MessageReply {
  return reply.toolText(
    FINALIZER_NAME,
    args,
    args.length > LARGE_PIECE_CHARS ? { chunkChars: LARGE_PIECE_CHARS } : {},
  );
}

/** Creates a unique id for a test. */
export function newRequestId(): string {
  return crypto.randomUUID();
}
