/**
 * Model routes: one driver for each way in which Truecast calls a model service. Each asks the service
 * one question, whose answer is `{ answer: number }`.
 */
import { join } from 'node:path';
import { inspect } from 'node:util';
import { z } from 'zod';
import { Output } from '../../../packages/core/src/output/output.ts';
import { manifestAgent } from '../../../packages/ensemble/src/agent/manifest-agent.ts';
import { createEnsemble } from '../../../packages/ensemble/src/conductor/ensemble.ts';
import { openLedger } from '../../../packages/ensemble/src/ledger/open-ledger.ts';
import { loadEnsemble } from '../../../packages/ensemble/src/manifest/load-ensemble.ts';
import { toEnsembleScenario } from '../../../packages/ensemble/src/manifest/to-ensemble-scenario.ts';
import { aiSdkProvider } from '../../../packages/ensemble/src/providers/ai-sdk-provider.ts';
import type { GenerateBudget } from '../../../packages/model/src/call/generate-options.ts';
import { generate } from '../../../packages/model/src/generate.ts';
import { openAICompatible } from '../../../packages/model/src/open-ai-compatible.ts';
import { writeFolder } from '../../cli/ensemble-fixture.ts';
import { temporaryFolder } from '../../run/fixture.ts';
import type { Route } from '../table/guarantees.ts';
import { runCommand } from './command.ts';
import { failureOf, type Outcome } from './outcome.ts';
import { fileText, FORMAT, startServer } from './server.ts';

/** A question to a service. */
export interface ModelQuestion {
  /** Address up to `/v1`. */
  readonly serviceUrl: string;
  readonly apiKey?: string;
  /** Budget of `generate()`. */
  readonly budget?: GenerateBudget;
  /** Tokens of an ensemble's run. @default no limit */
  readonly tokens?: number;
  /** Limits per owner of a server. */
  readonly quota?: { readonly tokens: number };
  /** Questions one after the other. @default 1 */
  readonly count?: number;
  /** Schema of the answer. Ensembles have that of their events. @default `{ answer: number }` */
  readonly schema?: z.ZodType;
  /** Calls after the first, of `generate()` and of an ensemble's provider. @default 0 */
  readonly maxCorrections?: number;
  /** Seed of `generate()` and of the wire. */
  readonly seed?: number;
  /** True to give `generate()` a tool. @default false */
  readonly hasTools?: boolean;
}

/** Routes that call a model. */
export type ModelRouteName = Extract<Route, 'generate' | 'ensemble' | 'chat' | 'wire' | 'command'>;

/** Asks the service on one route. */
export type ModelRoute = (question: ModelQuestion) => Promise<Outcome>;

const PROMPT = 'How many?';

/** One speaker and no judge: no call follows the end of a run. */
const SPEAKER = {
  'ensembles/agents/ada.yaml':
    'name: ada\npersona: You are Ada.\nmay_emit: [agent.spoke]\nschedule: { tick_every: 1 }\n',
} as const;

function scenarioFile(tokens: number | undefined): string {
  const governor = tokens === undefined ? 'max_turns: 1' : `max_turns: 9, max_total_tokens: ${tokens}`;
  return `name: solo\ntitle: Solo\ngoal: Count.\ndefault_seed: fog\ncast: [ada]\ngenesis_text: A pier in {seed}.\ngovernor: { ${governor} }\n`;
}

const ANSWER_SCHEMA = z.strictObject({ answer: z.number() });

const TOOLS = { look: { inputSchema: z.object({}), execute: (): string => 'Gulls.' } };

const byGenerate: ModelRoute = async ({ serviceUrl, apiKey, budget, count = 1, ...question }) => {
  const { schema = ANSWER_SCHEMA, maxCorrections = count - 1, seed, hasTools = false } = question;
  const model = openAICompatible({
    baseURL: serviceUrl,
    model: 'm',
    ...(apiKey !== undefined && { apiKey }),
  });
  const output = Output.object({ schema });
  try {
    const { output: value, ...rest } = await generate({
      model,
      prompt: PROMPT,
      output,
      maxCorrections,
      ...(seed !== undefined && { seed }),
      ...(budget !== undefined && { budget }),
      ...(hasTools && { tools: TOOLS }),
    });
    return accepted(value, inspect(rest, { depth: 9 }));
  } catch (error) {
    return failureOf(error);
  }
};

/** A run of one speaker, and a ledger in a database file. */
const byEnsemble: ModelRoute = async ({ serviceUrl, apiKey, tokens, maxCorrections: maxRetries = 0 }) => {
  const folder = temporaryFolder();
  writeFolder(folder, { ...SPEAKER, 'ensembles/scenarios/solo.yaml': scenarioFile(tokens) });
  const found = await loadEnsemble(join(folder, 'ensembles'), { env: {} });
  const manifest = found.scenarios.get('solo');
  if (manifest === undefined) throw new RangeError('solo');
  const scenario = toEnsembleScenario(manifest, found, { modelOf: () => 'm' });
  const provider = aiSdkProvider(
    openAICompatible({ baseURL: serviceUrl, model: 'm', ...(apiKey !== undefined && { apiKey }) }),
    { maxRetries, prices: { inputUsdPerMillion: 1, outputUsdPerMillion: 1 } },
  );
  const url = join(folder, 'truecast.sqlite');
  const events: string[] = [];
  await using ledger = await openLedger({ url, cast: scenario.cast });
  const agents = [...found.agents.values()].map((each) =>
    manifestAgent({ manifest: each, scenario, provider }),
  );
  try {
    const ensemble = await createEnsemble({
      scenario,
      agents,
      ledger,
      onEvent: (event) => void events.push(JSON.stringify(event)),
    });
    const { end } = await ensemble.run();
    const text = [...events, JSON.stringify(end), fileText(url)].join('\n');
    const hasSpoken = events.some((event) => event.includes('"agent.spoke"'));
    return hasSpoken
      ? accepted(end, text)
      : { ...accepted(end, text), isAccepted: false, message: events.join('\n') };
  } catch (error) {
    return { ...failureOf(error), output: [...events, inspect(error, { depth: 9 })].join('\n') };
  }
};

const byChat: ModelRoute = async ({ serviceUrl, apiKey, quota, count = 1, schema }) => {
  await using server = await startServer({
    serviceUrl,
    ...(apiKey !== undefined && { apiKey }),
    ...(quota !== undefined && { quotas: { perOwner: quota } }),
  });
  let last: Outcome | undefined;
  for (let asked = 0; asked < count; asked += 1) {
    last = await server.chat(PROMPT, { response_format: formatOf(schema) });
  }
  return last ?? accepted(undefined, '');
};

const byWire: ModelRoute = async ({ serviceUrl, apiKey, quota, count = 1, schema, seed }) => {
  await using server = await startServer({
    serviceUrl,
    ...(apiKey !== undefined && { apiKey }),
    ...(quota !== undefined && { quotas: { perOwner: quota } }),
  });
  let last: Outcome | undefined;
  for (let asked = 0; asked < count; asked += 1) {
    last = await server.completion({
      response_format: formatOf(schema),
      ...(seed !== undefined && { seed }),
    });
  }
  return last ?? accepted(undefined, '');
};

/** `truecast ensemble run`, with a database in the folder. */
const byCommand: ModelRoute = async ({ serviceUrl, apiKey = '', tokens }) => {
  const cwd = temporaryFolder();
  writeFolder(cwd, { ...SPEAKER, 'ensembles/scenarios/solo.yaml': scenarioFile(tokens) });
  const ended = await runCommand({
    cwd,
    args: ['ensemble', 'run', 'solo', '--json', '--database-url', join(cwd, 'truecast.sqlite')],
    env: { TRUECAST_BASE_URL: serviceUrl, TRUECAST_MODEL: 'm', TRUECAST_API_KEY: apiKey },
  });
  const hasSpoken = /"kind":\s*"agent\.spoke"/u.test(String(ended.value));
  return {
    ...ended,
    isAccepted: hasSpoken,
    output: `${ended.output}\n${fileText(join(cwd, 'truecast.sqlite'))}`,
  };
};

function formatOf(schema: z.ZodType | undefined): object {
  if (schema === undefined) return FORMAT;
  return { type: 'json_schema', json_schema: { name: 'answer', schema: z.toJSONSchema(schema) } };
}

function accepted(value: unknown, output: string): Outcome {
  return { isAccepted: true, value, message: '', warnings: [], commits: [], sensitive: [], output };
}

/** All model routes. */
export const MODEL_ROUTES: Readonly<Record<ModelRouteName, ModelRoute>> = {
  generate: byGenerate,
  ensemble: byEnsemble,
  chat: byChat,
  wire: byWire,
  command: byCommand,
};
