/** Demo model of a server without keys: echoes text, and answers a schema with a valid sample. */
import { openAICompatible } from '@truecast/model/internal/open-ai-compatible';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { ChatModel } from '../models/chat-model.ts';
import { compatibleModel } from '../models/resolve-model.ts';
import { scriptedModelServer } from '@truecast/testing/internal/scripted-model/scripted-model-server';
import { reply, type ScriptedReply } from '@truecast/testing/internal/scripted-model/turn/scripted-reply';
import type { ScriptedTurn } from '@truecast/testing/internal/scripted-model/turn/scripted-turn';
import { submission } from './demo-submission.ts';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';

/** Name of the model on the wire. */
export const SCRIPTED_MODEL = 'scripted:demo';

export interface ScriptedChatModel {
  readonly model: ChatModel;
  close(): Promise<void>;
}

/** Pace of the model's answers. */
export interface DemoPace {
  /** Time between two pieces of an answer. 0 sends it as one piece. */
  readonly chunkMs: number;
  /** Time before an answer that corrects a refused one. */
  readonly correctionMs: number;
}

/**
 * About 40 tokens per second, slow enough to watch the value grow. The refused value is on the page for more than 2 s,
 * with the time that the second one is written.
 */
export const DEMO_PACE: DemoPace = { chunkMs: 25, correctionMs: 1_700 };

/** Starts the model: a loopback model service, called through the real provider. */
export async function startScriptedModel(pace: DemoPace = DEMO_PACE): Promise<ScriptedChatModel> {
  const server = await scriptedModelServer({ script: (turn) => demoReply(turn, pace) });
  const model = openAICompatible({ baseURL: server.openaiUrl, model: 'scripted' });
  return {
    model: { id: SCRIPTED_MODEL, ...compatibleModel(model) },
    close: async () => server.close(),
  };
}

const CHUNK_CHARS = 4;
/** A long echo is sent in larger pieces. */
const MAX_CHUNKS = 200;

type DemoTurn = Pick<ScriptedTurn, 'tools' | 'jsonSchema' | 'userText' | 'messages'>;

/** Returns the reply to a turn. A refused submission is followed by a valid one after a pause. */
export function demoReply(
  { tools, jsonSchema, userText, messages }: DemoTurn,
  pace: DemoPace = DEMO_PACE,
): ScriptedReply {
  const finalizer = tools.find(({ name }) => name === FINALIZER_NAME);
  if (finalizer !== undefined) {
    // An accepted answer ends the turn. Otherwise, a request that ends with a submission's result
    // is a retry.
    const last = messages.at(-1)?.parts.at(-1);
    const wasRefused = last?.type === 'tool-result' && last.name === FINALIZER_NAME;
    const input = submission(finalizer.inputSchema, { isValid: wasRefused });
    const submitted = reply.tool(FINALIZER_NAME, input, piecesOf(JSON.stringify(input), pace));
    return wasRefused ? reply.delay(pace.correctionMs, submitted) : submitted;
  }
  if (jsonSchema !== undefined) return reply.json(sampleValue(jsonSchema));
  const text = `No model is connected, so this is an echo: ${userText}`;
  return reply.text(text, piecesOf(text, pace));
}

interface Pieces {
  readonly chunkChars: number;
  readonly chunkDelayMs?: number;
}

function piecesOf(text: string, { chunkMs }: DemoPace): Pieces {
  if (chunkMs === 0) return { chunkChars: Math.max(1, text.length) };
  return { chunkChars: Math.max(CHUNK_CHARS, Math.ceil(text.length / MAX_CHUNKS)), chunkDelayMs: chunkMs };
}
