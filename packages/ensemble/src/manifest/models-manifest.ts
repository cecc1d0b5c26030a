/** Parser for `models.yaml`: a model per profile, with environment variables expanded. Pure. */
import type { ManifestProblem } from '@truecast/core/internal/errors/manifest-error';
import type { Prices } from '@truecast/core/internal/kit/usage';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import type { ModelSettings } from '@truecast/model';
import { expandEntry, type FileVariables } from '@truecast/model/internal/models-file/expand-entry';
import {
  pricesFrom,
  settingsFrom,
  type ModelEntry,
  MODELS_FILE,
} from '@truecast/model/internal/models-file/model-entry';
import { MODEL_PROFILES, type ModelProfile } from './agent-manifest.ts';
import { NAME_FIELD, readManifest, type ManifestRead, type ManifestText } from './read-fields.ts';
import { ALL_INTACT } from './salvage-fields.ts';
import type { YamlSource } from './yaml-source.ts';

/** Variables by name, such as `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

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
  /** How an answer is requested. @default the model's best */
  readonly mode?: NonNullable<ModelEntry['mode']>;
  /** Settings of every request. */
  readonly settings: ModelSettings;
  /** Members that are added to the body of every request. */
  readonly body?: Readonly<Record<string, JsonValue>>;
  /** Needed for limits in money. */
  readonly prices?: Prices;
}

/** Parses `models.yaml`. In offline mode variables can be unset. */
export function readModelsManifest(
  text: ManifestText,
  variables: FileVariables,
): ManifestRead<ModelsManifest> {
  const form = { noun: '`models.yaml`', schema: MODELS_FILE, judge: () => [] };
  const { manifest: fields, source, isIntact = ALL_INTACT, problems: found } = readManifest(text, form);
  if (fields === undefined || source === undefined) return { problems: found };
  const problems: ManifestProblem[] = [...found];
  const { profiles, endpoints } = fields;
  // Without models, nothing else is needed or missing.
  const offline = fields.offline || !isIntact('offline');
  const expand = (group: string, name: string, endpoint: ModelEntry): [string, ModelEndpoint] => {
    const expanded = expandEndpoint(endpoint, { path: [group, name], variables, source });
    if (!offline) problems.push(...expanded.problems);
    return [name, expanded.value];
  };
  for (const name of Object.keys(endpoints)) {
    if (!NAME_FIELD.safeParse(name).success) {
      problems.push(source.problem(['endpoints', name], `\`${name}\` is not a valid name.`, { at: 'key' }));
    }
  }
  const known = MODEL_PROFILES.flatMap((name) => {
    const endpoint = profiles[name];
    return endpoint === undefined ? [] : [expand('profiles', name, endpoint)];
  });
  const named = Object.entries(endpoints).map(([name, endpoint]) => expand('endpoints', name, endpoint));
  if (!offline && known.length + named.length === 0 && isIntact('profiles', 'endpoints')) {
    const hint = 'Define one under `profiles`, or set `offline: true`.';
    problems.push(source.problem([], 'No model is defined.', { hint }));
  }
  const manifest = { offline, profiles: Object.fromEntries(known), endpoints: Object.fromEntries(named) };
  return { manifest, source, isIntact, problems };
}

interface ExpandContext {
  readonly path: readonly [string, string];
  readonly variables: FileVariables;
  readonly source: YamlSource;
}

function expandEndpoint(
  fields: ModelEntry,
  { path, variables, source }: ExpandContext,
): { readonly value: ModelEndpoint; readonly problems: readonly ManifestProblem[] } {
  const { entry, problems: found } = expandEntry(fields, { ...variables, file: source.file });
  const problems = found.map(({ key, message, hint }) => source.problem([...path, key], message, { hint }));
  if (entry.provider !== 'openai-compatible') {
    const hint = 'Remove `provider`, and write the address of a Chat Completions API under `endpoint`.';
    const message = `Ensembles cannot use the provider \`${entry.provider}\`. Only a server can.`;
    problems.push(source.problem([...path, 'provider'], message, { hint }));
  }
  const { endpoint = '', model, api_key: apiKey } = entry;
  const body = bodyOf(entry);
  const prices = pricesFrom(entry);
  const value: ModelEndpoint = {
    endpoint,
    model,
    ...(apiKey !== undefined && { apiKey }),
    ...(entry.mode !== undefined && { mode: entry.mode }),
    settings: settingsFrom(entry),
    ...(body !== undefined && { body }),
    ...(prices !== undefined && { prices }),
  };
  return { value, problems };
}

/** Chat Completions servers accept the amount of reasoning as a member of the body. */
function bodyOf({ body, thinking }: ModelEntry): ModelEndpoint['body'] {
  return thinking === undefined ? body : { reasoning_effort: thinking, ...body };
}
