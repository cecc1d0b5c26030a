/** Bench of the overhead of `generate()` beyond its AI SDK call. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { generateText, Output as SdkOutput } from 'ai';
import { z } from 'zod';
import { generate } from '../../packages/model/src/generate.ts';
import type { GenerateModel } from '../../packages/model/src/call/generate-options.ts';
import { openAICompatible } from '../../packages/model/src/open-ai-compatible.ts';
import { Output } from '../../packages/core/src/output/output.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio, formatSpread } from '../harness/format.ts';
import type { Bench } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { takeTurns } from '../harness/take-turns.ts';

const schema = z.object({
  severity: z.enum(['low', 'medium', 'high']),
  labels: z.array(z.string()),
  plan: z.string().min(1),
});
const ANSWER = {
  severity: 'high',
  labels: ['crash', 'parser'],
  plan: 'Guard the empty case, then add a test.',
};
const PROMPT = 'Triage this issue: the parser crashes on an empty file.';
const CALLS_PER_SAMPLE = 40;

const NAMES = ['bare, text only', 'bare, Output.object', 'generate(), native', 'generate(), json'] as const;
type Name = (typeof NAMES)[number];
type Ask = () => Promise<unknown>;

export const benchGenerate: Bench = async ({ isQuick, progress }) => {
  const workers = [false, true].map(
    (isStreamed) =>
      new Worker(new URL('../contestants/chat-server.ts', import.meta.url), {
        workerData: { answer: JSON.stringify(ANSWER), isStreamed },
        stdout: true,
      }),
  );
  try {
    const [whole, streaming] = await Promise.all(workers.map(modelOf));
    if (whole === undefined || streaming === undefined) throw new Error('A model server did not start.');
    const wires: readonly (readonly [string, GenerateModel])[] = [
      ['a model object that answers at once', instantModel()],
      ['a server on loopback', whole],
      ['a server on loopback that streams', streaming],
    ];
    const rows: string[][] = [];
    for (const [wire, model] of wires) {
      progress(wire);
      rows.push(...(await measure(wire, asks(model), isQuick)));
    }
    const columns = ['wire', 'contestant', `ms per ${CALLS_PER_SAMPLE} calls`, 'calls per second', '/ bare'];
    return {
      name: 'generate',
      method: METHOD,
      tables: [{ title: 'One call after another', columns, rows }],
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
};

/** Returns the model of a server, which prints its address on one line. */
async function modelOf({ stdout }: Worker): Promise<GenerateModel> {
  const [printed] = (await once(stdout, 'data')) as [Buffer];
  return openAICompatible({ baseURL: printed.toString('utf8').trim(), model: 'fixed' });
}

const METHOD = [
  `A sample is ${CALLS_PER_SAMPLE} calls one after another. Each answer must be right. The contestants alternate. The ratio is the median of the ratios to \`bare, Output.object\` in each round.`,
  '`bare` is `generateText` of the AI SDK: text only, and with its own `Output.object` of the same Zod schema, which parses and validates. `generate()` makes the same call. It adds the mode, its own parsing and validation, the provenance with the schema’s hash, and the usage.',
  'The model object that answers at once shows the cost of each layer; no real model is that fast. The servers are separate threads with one fixed reply. Each call of `generate()` asks for a stream: the one server ignores that, and the other streams 5 characters a chunk to it. `bare` never asks for one.',
];

function asks(model: GenerateModel): Readonly<Record<Name, Ask>> {
  // The SDK accepts only its own model types. Ours has only the fields that it needs.
  const sdkModel = model as unknown as Parameters<typeof generateText>[0]['model'];
  const shared = { model: sdkModel, prompt: PROMPT, maxRetries: 0 };
  const asked = { model, prompt: PROMPT, output: Output.object({ schema }) };
  return {
    'bare, text only': async () => JSON.parse((await generateText(shared)).text) as unknown,
    'bare, Output.object': async () =>
      (await generateText({ ...shared, output: SdkOutput.object({ schema }) })).output,
    'generate(), native': async () => (await generate({ ...asked, mode: 'native' })).output,
    'generate(), json': async () => (await generate({ ...asked, mode: 'json' })).output,
  };
}

async function measure(
  wire: string,
  contestants: Readonly<Record<Name, Ask>>,
  isQuick: boolean,
): Promise<string[][]> {
  for (const name of NAMES) expectRight(name, await contestants[name](), ANSWER);
  const repeat = (ask: Ask) => async (): Promise<void> => {
    for (let call = 0; call < CALLS_PER_SAMPLE; call += 1) await ask();
  };
  const samples = await takeTurns(
    {
      'bare, text only': repeat(contestants['bare, text only']),
      'bare, Output.object': repeat(contestants['bare, Output.object']),
      'generate(), native': repeat(contestants['generate(), native']),
      'generate(), json': repeat(contestants['generate(), json']),
    },
    { warmUpRounds: 5, minRounds: isQuick ? 5 : 20, maxRounds: isQuick ? 10 : 60, budgetMs: 10_000 },
  );
  return NAMES.map((name) => [
    wire,
    name,
    formatSpread(samples[name]),
    formatNumber((CALLS_PER_SAMPLE * 1000) / summarize(samples[name]).median),
    formatRatio(medianRatio(samples[name], samples['bare, Output.object'])),
  ]);
}

/** Implements the SDK's interface, and answers without a wire. */
function instantModel(): GenerateModel {
  const model = {
    specificationVersion: 'v4',
    provider: 'instant',
    modelId: 'instant',
    supportedUrls: {},
    doGenerate: () =>
      Promise.resolve({
        content: [{ type: 'text', text: JSON.stringify(ANSWER) }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 20, text: 20, reasoning: 0 },
        },
        warnings: [],
      }),
    doStream: () => Promise.reject(new Error('No bench streams from it.')),
  };
  return model;
}
