/** Creates a model from its entry in the file of models. */
import { pricesFrom, settingsFrom, type ModelEntry } from '@truecast/model/internal/models-file/model-entry';
import { OwnerPlaces } from '../../pacing/owner-places.ts';
import type { ChatModel, ModelLimits, SamplingSettings } from '../chat-model.ts';
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
    contextTokens: entry.context_tokens,
  };
  const model = await makeModel(id, place, sources);
  const isThinking = entry.thinking !== undefined && entry.thinking !== 'none';
  return {
    ...model,
    ...limitsOf(entry),
    capabilities: { ...model.capabilities, isThinking: isThinking || model.capabilities.isThinking },
  };
}

function limitsOf(entry: ModelEntry): ModelLimits {
  const { temperature, topP, seed, stopSequences, ...limits } = settingsFrom(entry);
  const prices = pricesFrom(entry);
  const sampling: SamplingSettings = {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(stopSequences !== undefined && { stopSequences: [...stopSequences] }),
  };
  const { thinking: reasoning, concurrency, fallbacks } = entry;
  return {
    ...limits,
    sampling,
    ...(reasoning !== undefined && { reasoning }),
    ...(prices !== undefined && { prices }),
    ...(concurrency !== undefined && { places: new OwnerPlaces(concurrency) }),
    ...(fallbacks !== undefined && { fallbacks }),
  };
}
