/** Creates a model from its entry in the file of models. */
import { pricesFrom, settingsFrom, type ModelEntry } from '@truecast/model/internal/models-file/model-entry';
import { Places } from '@truecast/store/internal/queue/places';
import type { ChatModel, ModelLimits, SamplingSettings } from '../chat-model.ts';
import { probeContext } from '@truecast/model/internal/engine/probe-context';
import { makeModel, type ModelSources } from '../resolve-model.ts';

/** Creates the model. @throws UsageError for a missing key */
export async function modelOfEntry(id: string, entry: ModelEntry, sources: ModelSources): Promise<ChatModel> {
  const { provider, model: name, endpoint: baseURL, api_key: apiKey, body } = entry;
  const place = {
    provider: provider === 'openai-compatible' ? 'local' : provider,
    name,
    baseURL,
    apiKey,
    body,
  };
  const model = await makeModel(id, place, sources);
  const isThinking = entry.thinking !== undefined && entry.thinking !== 'none';
  return {
    ...model,
    ...limitsOf({ ...entry, context_tokens: await contextOf(entry) }),
    capabilities: { ...model.capabilities, isThinking: isThinking || model.capabilities.isThinking },
  };
}

/**
 * Returns the context window in tokens: the value in the file, else the value that the server
 * reports.
 */
async function contextOf({
  context_tokens: tokens,
  endpoint,
  model,
  api_key,
}: ModelEntry): Promise<number | undefined> {
  if (tokens !== undefined || endpoint === undefined) return tokens;
  return probeContext({ baseURL: endpoint, apiKey: api_key, name: model });
}

function limitsOf(entry: ModelEntry): ModelLimits {
  const settings = settingsFrom(entry);
  const { maxOutputTokens, timeoutMs, idleTimeoutMs, loadingTimeoutMs, endRunaways } = settings;
  const { temperature, topP, seed, stopSequences } = settings;
  const prices = pricesFrom(entry);
  const sampling: SamplingSettings = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
  };
  const { context_tokens: contextTokens, thinking: reasoning, concurrency, fallbacks } = entry;
  return {
    sampling,
    ...(contextTokens !== undefined && { contextTokens }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(idleTimeoutMs !== undefined && { idleTimeoutMs }),
    ...(loadingTimeoutMs !== undefined && { loadingTimeoutMs }),
    ...(endRunaways !== undefined && { endRunaways }),
    ...(reasoning !== undefined && { reasoning }),
    ...(prices !== undefined && { prices }),
    ...(concurrency !== undefined && { places: new Places(concurrency) }),
    ...(fallbacks !== undefined && { fallbacks }),
  };
}
