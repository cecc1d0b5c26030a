/**
 * Shared fixtures of the wire tests: its routes on a real port, with a scripted model behind real
 * providers.
 */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import OpenAI from 'openai';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { UsageError } from '../../packages/core/src/errors/usage-error.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import { MODELS } from '../../packages/model/src/test-models.ts';
import type { ModelScript } from '../../packages/testing/src/scripted-model/model-script.ts';
import {
  scriptedModelServer,
  type ScriptedModelServer,
  type ScriptedModelServerOptions,
} from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { ModelCapabilities } from '../../packages/model/src/ladder/choose-way.ts';
import type { ChatModel } from '../../packages/server/src/models/chat-model.ts';
import type { OpenAIPorts } from '../../packages/server/src/openai/openai-ports.ts';
import { openAIRoutes } from '../../packages/server/src/openai/openai-routes.ts';

/**
 * A model that has only tools: it supports no forced tool calls and no schema-constrained decoding.
 */
const PLAIN: ModelCapabilities = {
  takesTools: true,
  takesRequiredChoice: false,
  takesRequiredChoiceThinking: false,
  takesNativeSchema: false,
  isThinking: false,
  canStopThinking: false,
};

export interface WireOptions {
  readonly script: ModelScript;
  /** Local server that the scripted model imitates. @default none */
  readonly localServer?: ScriptedModelServerOptions['localServer'];
  /** AI SDK provider that calls the scripted model. */
  readonly provider?: string;
  readonly capabilities?: Partial<ModelCapabilities>;
  readonly ports?: Partial<OpenAIPorts>;
}

export interface Wire extends AsyncDisposable {
  readonly url: string;
  readonly client: OpenAI;
  readonly upstream: ScriptedModelServer;
  /** Method, path and status of the received requests, in order. */
  readonly calls: string[];
}

/** Starts both servers. */
export async function startWire({
  script,
  provider = 'openai compatible',
  localServer,
  ...options
}: WireOptions): Promise<Wire> {
  const upstream = await scriptedModelServer({ script, ...(localServer !== undefined && { localServer }) });
  const makeModel = MODELS[provider];
  if (makeModel === undefined) throw new UsageError(`There is no provider \`${provider}\`.`);
  const model: ChatModel = {
    id: 'test',
    model: makeModel(upstream),
    capabilities: { ...PLAIN, ...options.capabilities },
    hasExactArguments: provider !== 'google',
  };
  const find = (id: string): Promise<ChatModel> =>
    id === 'test' ? Promise.resolve(model) : Promise.reject(new UsageError(`There is no model \`${id}\`.`));
  const routes = await serveRoutes({ models: { find, list: () => ['test'] }, ...options.ports });
  return {
    ...routes,
    upstream,
    async [Symbol.asyncDispose]() {
      await routes[Symbol.asyncDispose]();
      await upstream.close();
    },
  };
}

/** Serves only the routes, on a free port. */
export async function serveRoutes(ports: OpenAIPorts): Promise<Omit<Wire, 'upstream'>> {
  const calls: string[] = [];
  const app = new Hono();
  app.use(async (context, next) => {
    await next();
    calls.push(`${context.req.method} ${context.req.path} ${context.res.status}`);
  });
  app.route('/', openAIRoutes(ports));
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
  if (!server.listening) await once(server, 'listening');
  // A listening TCP server has one.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    client: new OpenAI({ baseURL: `${url}/v1`, apiKey: 'test' }),
    calls,
    [Symbol.asyncDispose]() {
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      return Promise.resolve();
    },
  };
}

/** The model submits an answer. */
export function submit(output: unknown): MessageReply {
  return reply.toolText(FINALIZER_NAME, JSON.stringify({ output }));
}
