/** The same reply gets the same verdict at the same level, on each route that can receive it. */
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFinalizer } from '../../packages/core/src/output/finalizer/finalizer.ts';
import { FINALIZER_NAME } from '../../packages/core/src/output/finalizer/finalizer-tool.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { jsonSchema } from '../../packages/core/src/schema/json-schema.ts';
import { lowerJsonSchema } from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import type { AnyOutputDefinition } from '../../packages/core/src/output/definition/definition.ts';
import type { GenerateOptions } from '../../packages/model/src/call/generate-options.ts';
import { generate } from '../../packages/model/src/generate.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { scriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { reply, type MessageReply } from '../../packages/testing/src/scripted-model/turn/scripted-reply.ts';
import type { ScriptStep } from '../../packages/testing/src/scripted-model/model-script.ts';
import { openStore } from '../../packages/store/src/open-store.ts';
import type { Store } from '../../packages/store/src/database/store.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { extractCommand } from '../../packages/cli/src/extract-command.ts';
import type { StreamAgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import type { FinishedTurn } from '../../packages/truecast/src/run/finalizer/answer-finder.ts';
import { createAnswerFinder } from '../../packages/truecast/src/run/stages/find-answer.ts';
import { matrixColumns } from '../matrix.ts';
import { startWire } from '../openai-wire/start-wire.ts';
import { temporaryFolder } from '../run/fixture.ts';
import { newRequestId } from '../server/answers.ts';
import { message, testServer } from '../server/test-server.ts';
import { REPLIES, type ReplyPlace, type TableReply } from './replies.ts';

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'number' } },
  required: ['answer'],
  additionalProperties: false,
} as const;
const output = Output.object({ schema: jsonSchema(SCHEMA) });
const tagged = Output.object({ schema: jsonSchema(SCHEMA), tag: 'result' });
const inTag = (said: string): string => `So: <result>${said}</result>`;

/** What came out of a route: the value, or undefined for a refusal, and the number of calls. */
interface Played {
  readonly value: unknown;
  readonly calls: number;
}

type Play = (given: TableReply) => Promise<Played>;

function messageOf({ place, said, ending: finishReason }: TableReply): MessageReply {
  if (place === 'arguments') return reply.toolText(FINALIZER_NAME, said, { finishReason });
  return place === 'text' ? reply.text(said, { finishReason }) : reply.thinking(said, { finishReason });
}

/** The reply, and then a refusal, which ends a turn of the server. */
const scriptOf = (given: TableReply): ScriptStep => {
  let calls = 0;
  return () => {
    calls += 1;
    return calls === 1 ? messageOf(given) : reply.text('No.', { finishReason: 'refusal' });
  };
};

function byGenerate(options: Pick<GenerateOptions<AnyOutputDefinition>, 'mode' | 'lenient'>): Play {
  return async (given) => {
    await using server = await scriptedModelServer({ script: scriptOf(given) });
    const model = openAICompatible({ baseURL: server.openaiUrl, model: 'm' });
    const asked = { model, prompt: 'How many?', output: options.mode === undefined ? tagged : output };
    const value = await generate({ ...asked, ...options, maxCorrections: 0 }).then(
      (answer) => answer.output,
      () => undefined,
    );
    return { value, calls: server.requests.length };
  };
}

function byWire(takesNativeSchema: boolean): Play {
  return async (given) => {
    const capabilities = { takesNativeSchema, takesTools: !takesNativeSchema };
    await using wire = await startWire({ script: scriptOf(given), capabilities });
    const value = await wire.client.chat.completions
      .create({
        model: 'test',
        messages: [{ role: 'user', content: 'How many?' }],
        response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: SCHEMA } },
      })
      .then(
        ({ choices }): unknown => JSON.parse(choices[0]?.message.content ?? 'null') ?? undefined,
        () => undefined,
      );
    return { value, calls: wire.upstream.requests.length };
  };
}

let store: Store;
beforeAll(async () => {
  store = await openStore({ url: join(temporaryFolder(afterAll), 'store.sqlite') });
});
afterAll(() => store.close());

const byChat: Play = async (given) => {
  await using server = await testServer({ store, script: scriptOf(given) });
  const requestId = newRequestId();
  await server.ask(message('How many?', { requestId, schema: SCHEMA }));
  const { receipt } = await server.receipt(requestId);
  return { value: receipt.value, calls: server.scripted.requests.length };
};

const byMcp: Play = async ({ said }) => {
  const finalizer = createFinalizer(output);
  await finalizer.submit(said);
  const settled = await finalizer.settle();
  return { value: settled?.success === true ? settled.output : undefined, calls: 1 };
};

/** The answer finder of a run, at the end of an agent's turn. */
function byAgent(
  toTurn: (said: string) => Partial<FinishedTurn>,
  agent: StreamAgentProvider = claudeCode(),
): Play {
  return async ({ said }) => {
    const native = lowerJsonSchema(SCHEMA, 'codex');
    const turn = { resultText: '', hasEnded: true, endValue: undefined, endValueText: undefined };
    const found = await createAnswerFinder(output, { agent, native }).finish({ ...turn, ...toTurn(said) });
    return { value: found.success ? found.output : undefined, calls: 1 };
  };
}

const byTag: Play = async ({ said }) => {
  const finder = createAnswerFinder(tagged, { agent: claudeCode(), native: undefined });
  for (const char of inTag(said)) finder.push(char);
  const found = await finder.finish(undefined);
  return { value: found.success ? found.output : undefined, calls: 1 };
};

const byExtract: Play = async ({ said }) => {
  const stdout = new PassThrough();
  const terminal = { stdout, stderr: new PassThrough(), stdin: Readable.from([inTag(said)]) };
  const flags = { schema: JSON.stringify(SCHEMA), tag: 'result' };
  const value: unknown = await extractCommand('-', flags, terminal).then(
    (): unknown => JSON.parse(String(stdout.read())),
    () => undefined,
  );
  return { value, calls: 1 };
};

const valueOf = (said: string): Partial<FinishedTurn> => ({
  endValue: JSON.parse(said) as unknown,
  endValueText: said,
});

interface AnswerRoute {
  readonly play: Play;
  readonly level: 'strict' | 'lenient' | 'tagged';
  readonly receives: readonly ReplyPlace[];
  /** True if the agent's CLI has parsed the answer, so that it is JSON. */
  readonly isParsed?: true;
  /** True if the route is told how the reply ended. */
  readonly knowsEnding?: false;
}

const EVERY: readonly ReplyPlace[] = ['text', 'arguments', 'reasoning'];
const WITHOUT_TOOL: readonly ReplyPlace[] = ['text', 'reasoning'];

const ROUTES: Readonly<Record<string, AnswerRoute>> = {
  'generate, native': { play: byGenerate({ mode: 'native' }), level: 'strict', receives: WITHOUT_TOOL },
  'generate, json': { play: byGenerate({ mode: 'json' }), level: 'strict', receives: WITHOUT_TOOL },
  'generate, tool': { play: byGenerate({ mode: 'tool' }), level: 'strict', receives: EVERY },
  'wire, tool': { play: byWire(false), level: 'strict', receives: EVERY },
  'wire, native': { play: byWire(true), level: 'strict', receives: WITHOUT_TOOL },
  chat: { play: byChat, level: 'strict', receives: EVERY },
  'run, mcp': { play: byMcp, level: 'strict', receives: ['arguments'], knowsEnding: false },
  'run, native in text': {
    play: byAgent((resultText) => ({ resultText }), codex()),
    level: 'strict',
    receives: ['text'],
    knowsEnding: false,
  },
  'run, native value': {
    play: byAgent(valueOf),
    level: 'strict',
    receives: ['text'],
    knowsEnding: false,
    isParsed: true,
  },
  'run, native call': {
    play: byAgent((said) => ({ ...valueOf(said), isFromCall: true })),
    level: 'strict',
    receives: ['text'],
    knowsEnding: false,
    isParsed: true,
  },
  'generate, lenient native': {
    play: byGenerate({ mode: 'native', lenient: true }),
    level: 'lenient',
    receives: WITHOUT_TOOL,
  },
  'generate, lenient json': {
    play: byGenerate({ mode: 'json', lenient: true }),
    level: 'lenient',
    receives: WITHOUT_TOOL,
  },
  'generate, lenient tool': {
    play: byGenerate({ mode: 'tool', lenient: true }),
    level: 'lenient',
    receives: EVERY,
  },
  'generate, tag': {
    play: (given) => byGenerate({})({ ...given, said: inTag(given.said) }),
    level: 'tagged',
    receives: ['text'],
  },
  'run, tag': { play: byTag, level: 'tagged', receives: ['text'], knowsEnding: false },
  extract: { play: byExtract, level: 'tagged', receives: ['text'], knowsEnding: false },
};

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('has at least 120 replies, each once', () => {
  expect(REPLIES.length).toBeGreaterThanOrEqual(120);
  expect(new Set(REPLIES.map(({ place, name }) => `${place}: ${name}`)).size).toBe(REPLIES.length);
});

const ROWS = Object.entries(ROUTES);

describe.each(ROWS)('%s', (name, { play, level, receives, knowsEnding, isParsed }) => {
  it('gives the verdict of the table on each reply that it can receive, in the first call', async () => {
    const wrong: string[] = [];
    const received = REPLIES.filter(
      ({ place, ending, said }) =>
        receives.includes(place) &&
        (knowsEnding !== false || ending === 'stop') &&
        (isParsed !== true || isJson(said)),
    );
    const row = ROWS.findIndex(([each]) => each === name);
    for (const given of matrixColumns(row, received, { rows: ROWS.length, stride: 6 })) {
      const { value, calls } = await play(given);
      const verdict = value === undefined ? 'refused' : 'accepted';
      const isRight =
        verdict === given[level] && (verdict === 'refused' || JSON.stringify(value) === '{"answer":42}');
      if (!isRight || (verdict === 'accepted' && calls !== 1)) {
        wrong.push(`${given.place}: ${given.name}: ${JSON.stringify(value)} in ${calls}`);
      }
    }
    expect(wrong).toEqual([]);
  });
});
