/** The older kind of engine, imitated: llama-cpp-python's server with a weak model, which needs no weights. */
import { isRecord } from '../../../packages/core/src/kit/is-record.ts';
import { scriptedModelServer } from '../../../packages/testing/src/scripted-model/scripted-model-server.ts';
import {
  reply,
  type MessageReply,
} from '../../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptedTurn } from '../../../packages/testing/src/scripted-model/turn/scripted-turn.ts';
import type { RunningEngine } from '../start-engine.ts';
import { heldByLlamaCppPython } from '../../../packages/testing/src/scripted-model/openai-chat/held-schema.ts';
import { seededRandom } from '../../../bench/inputs/seeded-random.ts';
import { writeWeakly } from './weak-writer.ts';

/** An imitated engine. */
export interface OlderEngine extends RunningEngine {
  /** Requests so far, refused ones too. */
  requests(): number;
  /** Returns true while its process runs: what its converter cannot read ends it. */
  isAlive(): Promise<boolean>;
}

/** One of so many replies is cut, as small models write on to their limit. */
const ONE_CUT_IN = 12;

/** Starts it. Equal questions in an equal order get equal replies. */
export async function startOlderEngine(): Promise<OlderEngine> {
  const server = await scriptedModelServer({ localServer: 'llama-cpp-python', script: answer });
  return {
    name: 'llama-cpp-python (imitated)',
    url: server.openaiUrl,
    model: 'scripted',
    requests: () => server.requests.length,
    isAlive: () =>
      fetch(`${server.openaiUrl}/models`).then(
        ({ ok }) => ok,
        () => false,
      ),
    [Symbol.asyncDispose]: async () => server.close(),
  };
}

/** Writes under the schema or the named tool that the engine holds, and prose without one. */
function answer(turn: ScriptedTurn): MessageReply {
  const { jsonSchema, toolChoice, tools, turnIndex, body } = turn;
  const asked = isRecord(body) && typeof body['seed'] === 'number' ? body['seed'] : 0;
  const seed = asked * 7_919 + turnIndex + 1;
  const prompt = turn.messages
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))
    .join('\n');
  const isCut = seededRandom(seed + 1_000_003).next() < 1 / ONE_CUT_IN;
  const named = isRecord(toolChoice) ? tools.find(({ name }) => name === toolChoice.name) : undefined;
  if (named !== undefined) {
    const held = heldByLlamaCppPython(named.inputSchema);
    const schema = held.type === 'held' ? held.schema : { type: 'object' };
    return reply.tool(named.name, writeWeakly({ schema, prompt, seed }));
  }
  if (jsonSchema === undefined) return reply.text('It was a long meeting, and the roof needs work.');
  const text = JSON.stringify(writeWeakly({ schema: jsonSchema, prompt, seed }));
  return isCut ? reply.text(text.slice(0, -2), { finishReason: 'length' }) : reply.text(text);
}
