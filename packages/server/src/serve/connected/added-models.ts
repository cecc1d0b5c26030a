/** Added models: those that were connected while the process runs, in its memory alone. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { pricesFrom, type ModelEntry } from '@truecast/model/internal/models-file/model-entry';
import type { ChatModel } from '../../models/chat-model.ts';
import { connectedName, notConnected } from '../../models/connected-name.ts';
import type { ModelEntries } from '../../models/file/read-models-file.ts';
import {
  makeModel,
  placeInEnvironment,
  type ModelPlace,
  type ModelSources,
} from '../../models/resolve-model.ts';

interface AddedModelsOptions extends ModelSources {
  /** Source of prices. */
  readonly entries: ModelEntries | undefined;
}

/** The added models by their names, in the order of their connection. */
export class AddedModels {
  readonly #models = new Map<string, ChatModel>();
  readonly #listeners = new Set<() => void>();
  readonly #options: AddedModelsOptions;

  constructor(options: AddedModelsOptions) {
    this.#options = options;
  }

  list(): readonly string[] {
    return [...this.#models.keys()];
  }

  get(id: string): ChatModel | undefined {
    return this.#models.get(id);
  }

  /** @throws UsageError if the model is not connected to this process */
  find(id: string): ChatModel {
    const model = this.#models.get(id);
    if (model === undefined) throw new UsageError(notConnected(id));
    return model;
  }

  /** Creates a model that is not listed yet, with the prices of the file of models. */
  async make(place: ModelPlace): Promise<ChatModel> {
    const { environment, entries } = this.#options;
    const { baseURL } = placeInEnvironment(place.provider, environment);
    const known = place.provider === 'local' ? place : { baseURL, ...place };
    const model = await makeModel(connectedName(place), known, this.#options);
    const entry = [...(entries?.values() ?? [])].find((each) => isOf(each, place));
    const prices = entry && pricesFrom(entry);
    return { ...model, ...(prices !== undefined && { prices }) };
  }

  /** Lists a model. One with the same name is replaced. */
  add(model: ChatModel): void {
    this.#models.set(model.id, model);
    this.#report();
  }

  /** Returns false if the model is not listed. */
  remove(id: string): boolean {
    const isListed = this.#models.delete(id);
    if (isListed) this.#report();
    return isListed;
  }

  /** Calls the listener after each change of the list. Call the result to stop. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A separate server has separate prices. */
function isOf(entry: ModelEntry, { provider, name, baseURL }: ModelPlace): boolean {
  if (entry.model !== name) return false;
  if (provider !== 'local') return entry.provider === provider;
  return entry.provider === 'openai-compatible' && entry.endpoint === baseURL;
}
