/** Use of a mounted server by its clients, the same in each framework: a turn with its stream, and `/v1`. */
import { createClient, Output } from '@truecast/client';
import OpenAI from 'openai';
import { z } from 'zod';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';

/** Address of the mounted server, and its token. */
export interface Mounted {
  readonly baseURL: string;
  readonly token: string;
}

/** What the clients received. */
export interface Used {
  readonly output: { readonly count: number; readonly where: string };
  /** True if the turn's stream brought its receipt. */
  readonly hasReceipt: boolean;
  readonly text: string;
  /** True if the text of `/v1` came in pieces. */
  readonly hasPieces: boolean;
  /** Statuses without a token, and below the server's path without a route. */
  readonly refused: readonly number[];
}

/** What they receive from a server that is mounted right. */
export const USED: Used = {
  output: { count: 4, where: 'in the basket' },
  hasReceipt: true,
  text: 'Four pears are in the basket.',
  hasPieces: true,
  refused: [401, 404],
};

const PEARS = Output.object({ schema: z.object({ count: z.number(), where: z.string() }) });

/** Starts a model that answers in small pieces. */
export function pearModel(): Promise<ScriptedModelServer> {
  return scriptedModelServer({
    chunkChars: 4,
    script: ({ tools }) =>
      tools.some(({ name }) => name === FINALIZER_NAME)
        ? reply.tool(FINALIZER_NAME, { output: USED.output })
        : reply.text(USED.text),
  });
}

/** Variables by which a server finds the model. */
export function environmentOf({ openaiUrl }: ScriptedModelServer): Readonly<Record<string, string>> {
  return { TRUECAST_BASE_URL: openaiUrl, TRUECAST_MODEL: 'scripted' };
}

/** Asks the server as programs do. */
export async function useMounted({ baseURL, token }: Mounted): Promise<Used> {
  const events: string[] = [];
  const { output } = await createClient({ baseURL, token })
    .chat()
    .ask({ prompt: 'How many pears?', output: PEARS, onEvent: ({ type }) => events.push(type) });
  const client = new OpenAI({ baseURL: `${baseURL}/v1`, apiKey: token, maxRetries: 0 });
  const messages = [{ role: 'user', content: 'How many pears?' }] as const;
  const stream = await client.chat.completions.create({
    model: 'local:scripted',
    messages: [...messages],
    stream: true,
  });
  const pieces: string[] = [];
  for await (const { choices } of stream) pieces.push(choices[0]?.delta.content ?? '');
  const authorization = `Bearer ${token}`;
  const refused = [
    await fetch(`${baseURL}/api/chats`),
    await fetch(`${baseURL}/nowhere`, { headers: { authorization } }),
  ];
  return {
    output,
    hasReceipt: events.includes('receipt'),
    text: pieces.join(''),
    hasPieces: pieces.filter((piece) => piece !== '').length > 1,
    refused: refused.map(({ status }) => status),
  };
}

/** An open stream of all changes. `ended` resolves with its text after its end. */
export async function openStream({ baseURL, token }: Mounted): Promise<{
  readonly ended: Promise<string>;
}> {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(`${baseURL}/api/stream`, { headers });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const first = (await reader?.read())?.value ?? '';
  const rest = async (): Promise<string> => {
    let text = first;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += part.value;
    }
    return text;
  };
  return { ended: rest() };
}
