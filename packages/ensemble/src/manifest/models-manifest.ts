/** Parser for `models.yaml`: a model per profile, with environment variables expanded. Pure. */
import { z } from 'zod';
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import type { Prices } from '@truecast/core/internal/errors/base/prices';
import type { JsonValue } from '@truecast/core/internal/schema/json-value';
import type { ModelSettings } from '@truecast/model';
import { settingsOf } from '@truecast/model/internal/call/model-settings';
import { MODEL_PROFILES, type ModelProfile } from './agent-manifest.ts';
import { expandVariables, type Environment } from './expand-variables.ts';
import type { ManifestRead } from './parse-agent-manifest.ts';
import { COUNT, NAME_FIELD, readFields, strictMapping, TEXT } from './read-fields.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** Models by profile and by name. */
export interface ModelsManifest {
  /** If true, the stub answers for every model and nothing is sent. */
  readonly offline: boolean;
  readonly profiles: Readonly<Partial<Record<ModelProfile, ModelEndpoint>>>;
  /** Names for `model_endpoint` of an agent. */
  readonly endpoints: Readonly<Record<string, ModelEndpoint>>;
}

/** One model on a server with the OpenAI Chat Completions API. */
export interface ModelEndpoint {
  /** URL up to and including `/v1`. */
  readonly endpoint: string;
  /** Model id on that server. */
  readonly model: string;
  readonly apiKey?: string;
  /** Settings of every request. */
  readonly settings: ModelSettings;
  /** Members that are added to the body of every request. */
  readonly body?: Readonly<Record<string, JsonValue>>;
  /** Needed for limits in money. */
  readonly prices?: Prices;
}

const PRICE = z.number('a number of 0 or more').min(0, 'a number of 0 or more');
const SHARE = 'a number from 0 to 1';
const POSITIVE = 'a number above 0';

const SECONDS = z.number(POSITIVE).positive(POSITIVE).max(2_000_000, 'at most 2000000');

const ENDPOINT = strictMapping({
  endpoint: TEXT,
  model: TEXT,
  api_key: TEXT.optional(),
  temperature: z
    .number('a number from 0 to 2')
    .min(0, 'a number from 0 to 2')
    .max(2, 'a number from 0 to 2')
    .optional(),
  max_tokens: COUNT.optional(),
  top_p: z.number(SHARE).min(0, SHARE).max(1, SHARE).optional(),
  seed: z.int('a whole number').optional(),
  stop: z.array(TEXT, 'a list of texts').optional(),
  timeout_seconds: SECONDS.optional(),
  idle_timeout_seconds: SECONDS.optional(),
  body: z.record(z.string(), z.json(), 'a mapping').optional(),
  prices: strictMapping({ input_usd_per_million: PRICE, output_usd_per_million: PRICE }).optional(),
});
type EndpointFields = z.output<typeof ENDPOINT>;

const PROFILES = strictMapping({
  tiny: ENDPOINT.optional(),
  fast: ENDPOINT.optional(),
  balanced: ENDPOINT.optional(),
  strong: ENDPOINT.optional(),
} satisfies Record<ModelProfile, unknown>);

const KEYS = strictMapping({
  offline: z.boolean('true or false').default(false),
  profiles: PROFILES.prefault({}),
  endpoints: z.record(z.string(), ENDPOINT, 'a mapping of names to endpoints').default({}),
});

/** Parses `models.yaml`. In offline mode variables can be unset. */
export function readModelsManifest(
  text: string,
  file: string,
  env: Environment,
): ManifestRead<ModelsManifest> {
  const { source, problems: found } = readYaml(text, file);
  if (source === undefined) return { problems: found };
  const fields = readFields(source, KEYS, '`models.yaml`');
  if (!fields.success) return { source, problems: [...found, ...fields.problems] };
  const { offline, profiles, endpoints } = fields.value;
  const problems: ManifestProblem[] = [...found];
  const expand = (group: string, name: string, endpoint: EndpointFields): [string, ModelEndpoint] => {
    const expanded = expandEndpoint(endpoint, { path: [group, name], env, source });
    if (!offline) problems.push(...expanded.problems);
    return [name, expanded.value];
  };
  for (const name of Object.keys(endpoints))
    if (!NAME_FIELD.safeParse(name).success)
      problems.push(source.problem(['endpoints', name], `\`${name}\` is not a valid name.`, { at: 'key' }));
  const known = MODEL_PROFILES.flatMap((name) => {
    const endpoint = profiles[name];
    return endpoint === undefined ? [] : [expand('profiles', name, endpoint)];
  });
  const named = Object.entries(endpoints).map(([name, endpoint]) => expand('endpoints', name, endpoint));
  if (!offline && known.length + named.length === 0) {
    const hint = 'Define one under `profiles`, or set `offline: true`.';
    problems.push(source.problem([], 'No model is defined.', { hint }));
  }
  const manifest = { offline, profiles: Object.fromEntries(known), endpoints: Object.fromEntries(named) };
  return { manifest, source, problems };
}

interface ExpandContext {
  readonly path: readonly [string, string];
  readonly env: Environment;
  readonly source: YamlSource;
}

function expandEndpoint(
  fields: EndpointFields,
  { path, env, source }: ExpandContext,
): { readonly value: ModelEndpoint; readonly problems: readonly ManifestProblem[] } {
  const problems: ManifestProblem[] = [];
  const expand = (key: 'endpoint' | 'model' | 'api_key', text: string): string => {
    const { value, missing } = expandVariables(text, env);
    for (const name of missing) {
      const hint = 'Set it, or write the value here.';
      problems.push(
        source.problem([...path, key], `The environment variable \`${name}\` is not set.`, { hint }),
      );
    }
    if (key === 'endpoint' && missing.length === 0 && !isAddress(value)) {
      // The value is omitted: it can contain a password.
      const hint = 'Such as `http://localhost:11434/v1`.';
      problems.push(source.problem([...path, key], 'Expected an http or https address.', { hint }));
    }
    return value;
  };
  const value: ModelEndpoint = {
    endpoint: expand('endpoint', fields.endpoint),
    model: expand('model', fields.model),
    ...(fields.api_key !== undefined && { apiKey: expand('api_key', fields.api_key) }),
    settings: settingsFrom(fields),
    ...(fields.body !== undefined && { body: fields.body }),
    ...(fields.prices !== undefined && { prices: pricesFrom(fields.prices) }),
  };
  return { value, problems };
}

function settingsFrom(fields: EndpointFields): ModelSettings {
  const { timeout_seconds: total, idle_timeout_seconds: idle } = fields;
  return settingsOf({
    temperature: fields.temperature,
    maxOutputTokens: fields.max_tokens,
    topP: fields.top_p,
    seed: fields.seed,
    stopSequences: fields.stop,
    timeoutMs: total === undefined ? undefined : total * 1_000,
    idleTimeoutMs: idle === undefined ? undefined : idle * 1_000,
  });
}

function pricesFrom(fields: NonNullable<EndpointFields['prices']>): Prices {
  return {
    inputUsdPerMillion: fields.input_usd_per_million,
    outputUsdPerMillion: fields.output_usd_per_million,
  };
}

function isAddress(text: string): boolean {
  return /^https?:\/\//u.test(text) && URL.canParse(text);
}
