/** Guesses of people who know other libraries, as untyped callers write them. */
import { z } from 'zod';
import { createClient } from '../../packages/client/src/index.ts';
import { playEnsemble } from '../../packages/ensemble/src/index.ts';
import { createChatServer } from '../../packages/server/src/index.ts';
import {
  claudeCode,
  extractOutput,
  generate,
  noSandbox,
  openAICompatible,
  Output,
  run,
  runBatch,
} from '../../packages/truecast/src/index.ts';
import { row, type Mistake, type Untyped } from './mistake.ts';

const schema = z.object({ line: z.number() });
const model = openAICompatible({ baseURL: 'http://127.0.0.1:2/v1', model: 'x' });
const output = Output.object({ schema });

const start = (options: object): unknown =>
  run({ agent: claudeCode(), sandbox: noSandbox(), prompt: 'x', ...options });
const ask = (options: object): unknown => generate({ model, prompt: 'x', ...options } as Untyped);
const batch = (options: object): unknown =>
  runBatch({ agent: claudeCode(), sandbox: noSandbox(), inputs: [{ a: 1 }], ...options } as Untyped);
const serve = (options: object): unknown =>
  createChatServer({ port: 0, databaseUrl: ':memory:', environment: {}, ...options });

/** One guess for each. */
export const GUESSES: readonly Mistake[] = [
  row(
    'a schema instead of the output of a run',
    () => start({ schema }),
    /known options of `run\(\)`/u,
    /`schema`/u,
    /Write `output: Output\.object\(\{ schema \}\)`/u,
  ),
  row(
    'a model of a run',
    () => start({ model: 'opus' }),
    /known options of `run\(\)`/u,
    /`model`/u,
    /Write `agent: claudeCode\('…'\)`/u,
  ),
  row(
    'turns of a run',
    () => start({ maxTurns: 3 }),
    /known options of `run\(\)`/u,
    /`maxTurns`/u,
    /Write `maxIterations`/u,
  ),
  row(
    'a repository of a run',
    () => start({ repository: '.' }),
    /known options of `run\(\)`/u,
    /`repository`/u,
    /Write `cwd`/u,
  ),
  row(
    'a schema instead of the output of generate',
    () => ask({ schema }),
    /known options of `generate\(\)`/u,
    /`schema`/u,
    /Write `output: Output\.object\(\{ schema \}\)`/u,
  ),
  row(
    'the old name of the maximum of tokens',
    () => ask({ output, maxTokens: 3 }),
    /known options of `generate\(\)`/u,
    /`maxTokens`/u,
    /Write `maxOutputTokens`/u,
  ),
  row(
    'a schema as the argument of Output.object',
    () => Output.object(schema as Untyped),
    /known options of `Output\.object\(\)`/u,
    /got `\w+`/u,
    /Write `Output\.object\(\{ schema \}\)`/u,
  ),
  row(
    'a schema instead of the element of a list',
    () => Output.array({ schema } as Untyped),
    /known options of `Output\.array\(\)`/u,
    /`schema`/u,
    /Write `Output\.array\(\{ element \}\)`/u,
  ),
  row(
    'a list as the argument of Output.choice',
    () => Output.choice(['a', 'b'] as Untyped),
    /an object of options for `Output\.choice\(\)`/u,
    /\["a","b"\]/u,
    /Write `Output\.choice\(\{ options \}\)`/u,
  ),
  row(
    'a schema instead of the output of a text',
    () => extractOutput('{"line":1}', schema as Untyped),
    /created with `Output`/u,
    /got/u,
    /Write `Output\.object\(\{ schema \}\)`/u,
  ),
  row(
    'a function as the prompt of a batch',
    () => batch({ prompt: (input: { a: number }) => `x ${input.a}` }),
    /`prompt` to be a string/u,
    /function/u,
    /Write the inputs' keys as `\{\{KEY\}\}`/u,
  ),
  row(
    'the items of a batch',
    () => batch({ items: [], prompt: 'x' }),
    /known options of `runBatch\(\)`/u,
    /`items`/u,
    /Write `inputs`/u,
  ),
  row(
    'the database of a server',
    () => serve({ database: ':memory:' }),
    /known option/u,
    /`database`/u,
    /Did you mean `databaseUrl`/u,
  ),
  row(
    'a mistyped database of a server',
    () => serve({ databaseURL: ':memory:' }),
    /known option/u,
    /`databaseURL`/u,
    /Did you mean `databaseUrl`/u,
  ),
  row(
    'a schema instead of the output of a question',
    () =>
      createClient({ baseURL: 'http://127.0.0.1:2', token: 'x' })
        .chat()
        .ask({ prompt: 'x', schema } as Untyped),
    /known options of `ask\(\)`/u,
    /`schema`/u,
    /Write `output: Output\.object\(\{ schema \}\)`/u,
  ),
  row(
    'the system prompt of a chat',
    () => createClient({ baseURL: 'http://127.0.0.1:2', token: 'x' }).chat({ system: 'x' } as Untyped),
    /known options of `chat\(\)`/u,
    /`system`/u,
    /Write `systemPrompt`/u,
  ),
  row(
    'a model of an ensemble',
    () => playEnsemble('ensembles', 'museum-boat', { model } as Untyped),
    /known options of `playEnsemble\(\)`/u,
    /`model`/u,
    /Write `env: \{ TRUECAST_BASE_URL, TRUECAST_MODEL \}`/u,
  ),
];
