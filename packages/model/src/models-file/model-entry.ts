/** Schema of one model in `models.yaml`, shared by ensembles and servers. Pure. */
import { z } from 'zod';
import type { Prices } from '@truecast/core/internal/kit/usage';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { settingsOf, type ModelSettings, type ModelTimeouts } from '../call/model-settings.ts';
import { ANSWER_MODES, type AskedMode } from '../call/answer-modes.ts';
import { COUNT, strictMapping, TEXT } from './field-schemas.ts';

const PRICE = z.number('a number of 0 or more').min(0, 'a number of 0 or more');
const SHARE = 'a number from 0 to 1';
const POSITIVE = 'a number above 0';
const SECONDS = z.number(POSITIVE).positive(POSITIVE).max(2_000_000, 'at most 2000000');
const HEAT = 'a number from 0 to 2';

/** Providers of models. The first is any server with the OpenAI Chat Completions API. */
const PROVIDERS = ['openai-compatible', 'anthropic', 'openai', 'google'] as const;
/** Amount of reasoning before an answer. */
const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high'] as const;

/** Fields of one model, as in the file. */
export interface ModelEntry {
  readonly provider: (typeof PROVIDERS)[number];
  /** Required for `openai-compatible`. @default the provider's own */
  readonly endpoint?: string | undefined;
  /** Model id of the provider. */
  readonly model: string;
  readonly api_key?: string | undefined;
  /** Context window in tokens, output included. @default reported by the server, if it reports one */
  readonly context_tokens?: number | undefined;
  /** Maximum tokens of one reply. @default the provider's */
  readonly max_tokens?: number | undefined;
  readonly thinking?: (typeof EFFORTS)[number] | undefined;
  /** How an ensemble requests an answer. A server decides for each step. @default the model's best */
  readonly mode?: AskedMode | undefined;
  readonly temperature?: number | undefined;
  readonly top_p?: number | undefined;
  readonly seed?: number | undefined;
  readonly stop?: string[] | undefined;
  /** Maximum time of one call. @default 300 in ensembles, unlimited in servers */
  readonly timeout_seconds?: number | undefined;
  /** Maximum time without a piece of the reply. */
  readonly idle_timeout_seconds?: number | undefined;
  /** Maximum wait while the server loads the model. @default 120 */
  readonly loading_timeout_seconds?: number | undefined;
  /** False to take a reply that repeats itself as it comes. @default true */
  readonly end_runaways?: boolean | undefined;
  readonly body?: Readonly<Record<string, JsonValue>> | undefined;
  readonly prices?: PriceFields | undefined;
  /** Concurrent calls per process. @default unlimited */
  readonly concurrency?: number | undefined;
  /** Names of models that answer when this one fails. @default [] */
  readonly fallbacks?: string[] | undefined;
}

/** US dollars per million tokens. */
interface PriceFields {
  readonly input_usd_per_million: number;
  readonly output_usd_per_million: number;
  readonly cache_read_usd_per_million?: number | undefined;
  readonly cache_write_usd_per_million?: number | undefined;
}

const MODEL_ENTRY: z.ZodType<ModelEntry> = strictMapping({
  provider: z.enum(PROVIDERS, `one of ${PROVIDERS.join(', ')}`).default('openai-compatible'),
  endpoint: TEXT.optional(),
  model: TEXT,
  api_key: TEXT.optional(),
  context_tokens: COUNT.optional(),
  max_tokens: COUNT.optional(),
  thinking: z.enum(EFFORTS, `one of ${EFFORTS.join(', ')}`).optional(),
  mode: z.enum(ANSWER_MODES, `one of ${ANSWER_MODES.join(', ')}`).optional(),
  temperature: z.number(HEAT).min(0, HEAT).max(2, HEAT).optional(),
  top_p: z.number(SHARE).min(0, SHARE).max(1, SHARE).optional(),
  seed: z.int('a whole number').optional(),
  stop: z.array(TEXT, 'a list of texts').optional(),
  timeout_seconds: SECONDS.optional(),
  idle_timeout_seconds: SECONDS.optional(),
  loading_timeout_seconds: SECONDS.optional(),
  end_runaways: z.boolean('true or false').optional(),
  body: z.record(z.string(), z.json(), 'a mapping').optional(),
  prices: strictMapping({
    input_usd_per_million: PRICE,
    output_usd_per_million: PRICE,
    cache_read_usd_per_million: PRICE.optional(),
    cache_write_usd_per_million: PRICE.optional(),
  }).optional(),
  concurrency: COUNT.optional(),
  fallbacks: z.array(TEXT, 'a list of model names').optional(),
});

export interface EntryProblem {
  readonly key: string;
  readonly message: string;
  readonly hint: string;
}

/** Settings of every request to the model. */
export function settingsFrom(entry: ModelEntry): ModelSettings {
  const { timeout_seconds: total, idle_timeout_seconds: idle, loading_timeout_seconds: loading } = entry;
  return settingsOf({
    temperature: entry.temperature,
    maxOutputTokens: entry.max_tokens,
    topP: entry.top_p,
    seed: entry.seed,
    stopSequences: entry.stop,
    timeouts: timeoutsOf({ requestMs: total, idleMs: idle, loadingMs: loading }),
    endRunaways: entry.end_runaways,
  });
}

/** Converts seconds. Undefined if none is set. */
function timeoutsOf(
  seconds: Readonly<Record<keyof ModelTimeouts, number | undefined>>,
): ModelTimeouts | undefined {
  const { requestMs, idleMs, loadingMs } = seconds;
  if (requestMs === undefined && idleMs === undefined && loadingMs === undefined) return undefined;
  return {
    ...(requestMs !== undefined && { requestMs: requestMs * 1_000 }),
    ...(idleMs !== undefined && { idleMs: idleMs * 1_000 }),
    ...(loadingMs !== undefined && { loadingMs: loadingMs * 1_000 }),
  };
}

export function pricesFrom({ prices }: ModelEntry): Prices | undefined {
  if (prices === undefined) return undefined;
  const { cache_read_usd_per_million: read, cache_write_usd_per_million: write } = prices;
  return {
    inputUsdPerMillion: prices.input_usd_per_million,
    outputUsdPerMillion: prices.output_usd_per_million,
    ...(read !== undefined && { cacheReadUsdPerMillion: read }),
    ...(write !== undefined && { cacheCreationUsdPerMillion: write }),
  };
}

interface ModelsFile {
  /** If true, no model is called: the stub or the demo model answers. */
  readonly offline: boolean;
  readonly profiles: Readonly<Partial<Record<'tiny' | 'fast' | 'balanced' | 'strong', ModelEntry>>>;
  readonly endpoints: Readonly<Record<string, ModelEntry>>;
}

/** Schema of the file. Without a profile or an endpoint it is still valid. */
export const MODELS_FILE: z.ZodType<ModelsFile> = strictMapping({
  offline: z.boolean('true or false').default(false),
  profiles: strictMapping({
    tiny: MODEL_ENTRY.exactOptional(),
    fast: MODEL_ENTRY.exactOptional(),
    balanced: MODEL_ENTRY.exactOptional(),
    strong: MODEL_ENTRY.exactOptional(),
  }).prefault({}),
  endpoints: z.record(z.string(), MODEL_ENTRY, 'a mapping of names to endpoints').default({}),
});
