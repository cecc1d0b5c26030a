/** Process of the scripted model behind a bench's chats. Replies with its address. */
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { ENVELOPE_KEY } from '../../packages/core/src/schema/engine/embed-schema.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { CHAT_ANSWER } from '../inputs/chat-answer.ts';

/** Address of the model. */
export interface ChatModelReply {
  readonly baseUrl: string;
}

if (import.meta.main) {
  process.on('disconnect', () => process.exit());
  process.once('message', () => {
    const made = scriptedModelServer({
      // One delta per answer, so that the scripted server's own writing is not measured.
      chunkChars: 100_000,
      script: ({ tools, jsonSchema }) => {
        if (tools.some(({ name }) => name === FINALIZER_NAME)) {
          return reply.tool(FINALIZER_NAME, { [ENVELOPE_KEY]: CHAT_ANSWER });
        }
        return jsonSchema === undefined ? reply.text('Understood.') : reply.json(CHAT_ANSWER);
      },
    });
    void made.then(({ openaiUrl }) => process.send?.({ baseUrl: openaiUrl } satisfies ChatModelReply));
  });
}
