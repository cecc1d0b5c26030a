/** Mistakes in calls of models, servers, clients and ensembles, as untyped callers write them. */
import { z } from 'zod';
import { createClient } from '../../packages/client/src/index.ts';
import {
  aiSdkProvider,
  createEnsemble,
  loadEnsemble,
  manifestAgent,
  memoryLedger,
  openLedger,
  stubProvider,
} from '../../packages/ensemble/src/index.ts';
import { createChatServer, tool } from '../../packages/server/src/index.ts';
import { generate, openAICompatible, Output } from '../../packages/truecast/src/index.ts';
import { row, type Mistake, type Untyped } from './mistake.ts';

const schema = z.object({ line: z.number() });
const model = openAICompatible({ baseURL: 'http://127.0.0.1:2/v1', model: 'x' });
const answer = Output.object({ schema });

const ask = (options: object): Promise<unknown> =>
  generate({ model, prompt: 'x', output: answer, ...options });

const serve = async (options: object): Promise<unknown> =>
  createChatServer({ port: 0, databaseUrl: ':memory:', environment: {}, ...options });

const chat = (): ReturnType<ReturnType<typeof createClient>['chat']> =>
  createClient({ baseURL: 'http://127.0.0.1:2', token: 'x', maxRetries: 0 }).chat();

const MODELS: readonly Mistake[] = [
  row(
    'a mistyped option of generate',
    () => ask({ promt: 'x' }),
    /known options of `generate\(\)`/u,
    /`promt`/u,
    /Did you mean `prompt`/u,
  ),
  row(
    'a model as a string',
    () => ask({ model: 'gpt-4o' }),
    /a language model of the AI SDK/u,
    /"gpt-4o"/u,
    /openAICompatible/u,
  ),
  row(
    'no output',
    () => ask({ output: undefined }),
    /created with `Output`/u,
    /`undefined`/u,
    /Write `Output\.object/u,
  ),
  row(
    'no prompt',
    () => ask({ prompt: undefined }),
    /either `prompt` or `messages`/u,
    /both or neither/u,
    /Pass exactly one/u,
  ),
  row(
    'an address without a scheme',
    () => openAICompatible({ baseURL: 'localhost:11434', model: 'x' }),
    /an address such as http/u,
    /"localhost:11434"/u,
    /http:\/\//u,
  ),
  row(
    'a model without a name',
    () => openAICompatible({ baseURL: 'http://127.0.0.1:2/v1' } as Untyped),
    /`model` to be the name/u,
    /`undefined`/u,
    /Pass|Write|Set/u,
  ),
  row(
    'a server that does not run',
    () => ask({ maxCorrections: 0 }),
    /server|address/u,
    /127\.0\.0\.1:2/u,
    /Start|start/u,
  ),
  row(
    'a signal that is a controller',
    () => ask({ signal: new AbortController() }),
    /`signal` to be an AbortSignal/u,
    /got/u,
    /controller\.signal/u,
  ),
  row(
    'dollars without prices',
    () => ask({ budget: { usd: 1 } }),
    /`prices` with `budget\.usd`/u,
    /none/u,
    /Set `prices`/u,
  ),
];

const SERVERS: readonly Mistake[] = [
  row(
    'a mistyped option of the server',
    () => serve({ modles: ['scripted:demo'] }),
    /known option/u,
    /`modles`/u,
    /Did you mean `models`/u,
  ),
  row(
    'a mistyped limit of the server',
    () => serve({ models: ['scripted:demo'], limits: { openStream: 1 } }),
    /known option/u,
    /openStream/u,
    /Did you mean `openStreams`/u,
  ),
  row(
    'a model without its provider',
    () => serve({ models: ['gpt-4o'] }),
    /provider:model/u,
    /gpt-4o/u,
    /Write|Use|such as/u,
  ),
  row(
    'a model without its key',
    () => serve({ models: ['anthropic:claude-sonnet-5-5'] }),
    /ANTHROPIC_API_KEY/u,
    /anthropic/u,
    /Set/u,
  ),
  row(
    'a tool without a schema',
    () => tool({ description: 'x', execute: () => 'x' } as Untyped),
    /inputSchema/u,
    /undefined|got/u,
    /Pass|Write|Use/u,
  ),
  row(
    'a client without an address',
    () => createClient({ token: 'x' } as Untyped),
    /`baseURL` to be the URL/u,
    /`undefined`/u,
    /Pass|such as/u,
  ),
  row(
    'a client without a token',
    () => createClient({ baseURL: 'http://127.0.0.1:2', token: undefined }).listChats(),
    /token/u,
    /got `undefined`/u,
    /Create|Pass/u,
  ),
  row(
    'a question as a string',
    () => chat().ask('hi' as Untyped),
    /`argument of ask\(\)` to be an object/u,
    /"hi"/u,
    /Write `ask\(\{ prompt, output \}\)`/u,
  ),
  row(
    'a question under its old name',
    () => chat().ask({ message: 'hi', output: answer } as Untyped),
    /known options of `ask\(\)`/u,
    /`message`/u,
    /Did you mean `prompt`/u,
  ),
  row(
    'a schema as the output of a question',
    () => chat().ask({ prompt: 'hi', output: schema } as Untyped),
    /created with `Output`/u,
    /got/u,
    /Write `Output\.object/u,
  ),
  row(
    'a chat server that does not run',
    () => chat().ask({ prompt: 'hi', output: answer }),
    /server/u,
    /127\.0\.0\.1:2/u,
    /Start|start|Check/u,
  ),
];

const ENSEMBLES: readonly Mistake[] = [
  row(
    'an ensemble without a scenario',
    () => createEnsemble({} as Untyped),
    /`scenario` to be an object/u,
    /`undefined`/u,
    /Pass the result/u,
  ),
  row(
    'agents as an object',
    () => createEnsemble({ scenario: {}, agents: {} } as Untyped),
    /`agents` to be an array/u,
    /\{\}/u,
    /Pass the agents/u,
  ),
  row(
    'a folder that is not one',
    () => loadEnsemble('nowhere', { env: {} }),
    /a folder with `agents` and `scenarios`/u,
    /"nowhere"/u,
    /Check the path/u,
  ),
  row(
    'an agent without a provider',
    () => manifestAgent({ manifest: { name: 'a', mayEmit: ['agent.spoke'] } } as Untyped),
    /`provider`/u,
    /`undefined`/u,
    /Pass `aiSdkProvider/u,
  ),
  row(
    'a cast as a string',
    () => memoryLedger({ cast: 'ada' } as Untyped),
    /`cast` to be a list of members/u,
    /"ada"/u,
    /Correct it/u,
  ),
  row(
    'a ledger whose address is no database',
    () => openLedger({ url: 'mysql://x' }),
    /database's `url`/u,
    /mysql/u,
    /Pass one of these/u,
  ),
  row(
    'a provider of a string',
    () => aiSdkProvider('gpt-4o' as Untyped),
    /a language model/u,
    /"gpt-4o"/u,
    /openAICompatible/u,
  ),
  row(
    'a stub as the provider itself',
    () =>
      manifestAgent({ manifest: { name: 'a', mayEmit: ['agent.spoke'] }, provider: stubProvider } as Untyped),
    /`provider`/u,
    /stubProvider/u,
    /`stubProvider\(\)`/u,
  ),
];

/** All of them. */
export const SERVICE_MISTAKES: readonly Mistake[] = [...MODELS, ...SERVERS, ...ENSEMBLES];
