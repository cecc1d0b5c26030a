/**
 * Models of a server: the named ones and those in the file, else those with keys in the
 * environment, else the scripted model.
 */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { KEY_VARIABLES } from '@truecast/model/internal/models-file/list-variables';
import type { ProviderToolName } from '../contract/tools.ts';
import type { ChatModel } from '../models/chat-model.ts';
import { modelOfObject, type GivenModels } from '../models/given-models.ts';
import { modelOfEntry } from '../models/file/model-of-entry.ts';
import type { ModelEntries } from '../models/file/read-models-file.ts';
import { modelFactsOf, type ModelFacts } from '../models/model-facts.ts';
import { resolveModel, type ModelEnvironment } from '../models/resolve-model.ts';
import { unknownModel } from '../models/unknown-model.ts';
import { isConnectedName } from '../models/connected-name.ts';
import { AddedModels } from './connected/added-models.ts';
import {
  SCRIPTED_MODEL,
  startScriptedModel,
  type DemoPace,
  type ScriptedChatModel,
} from './scripted-model.ts';

export interface OpenModels {
  /** The first connected model instead of a scripted one. */
  readonly default: string;
  /** Models that were connected while the process runs. */
  readonly added: AddedModels;
  /** True if the environment's keys selected the models, because no option or file names one. */
  readonly isChosen: boolean;
  /** The default first. */
  list(): readonly string[];
  facts(id: string): ModelFacts;
  /** Calls the listener when the list has changed. Call the result to stop. */
  onChange(listener: () => void): () => void;
  /** Resolves a listed model, or one that another process of the server lists. */
  find(id: string): Promise<ChatModel>;
  close(): Promise<void>;
}

/** The file of models, and enabled provider-executed tools. */
export interface OpenModelsOptions {
  /** Entries of the file. Listed after the named models. @default no file */
  readonly entries?: ModelEntries | undefined;
  /** Objects of named models. @default none */
  readonly given?: GivenModels | undefined;
  /** @default [] */
  readonly providerTools?: readonly ProviderToolName[];
  /** @default slow enough to watch */
  readonly demoPace?: DemoPace | undefined;
  /** Called with the models that lack a tool, or support it only in some turns. */
  readonly onWarning?: (warning: string) => void;
}

/**
 * Default models per key: the middle one that each service lists as current and stable (their model
 * pages, November 2026).
 */
export const MODEL_OF_PROVIDER: Readonly<Record<string, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-6.1-sol',
  google: 'gemini-3.8-flash',
};

/**
 * Opens the models. Names and keys are checked without a network. The context sizes of local models
 * are read from their servers.
 *
 * @throws UsageError for an invalid name, a missing key or URL, and a tool that no model has
 */
export async function openModels(
  named: readonly string[],
  environment: ModelEnvironment,
  { entries, given, providerTools = [], demoPace, onWarning }: OpenModelsOptions = {},
): Promise<OpenModels> {
  const ids = idsOf(named, environment, entries);
  const found = new Map<string, Promise<ChatModel>>();
  let scripted: Promise<ScriptedChatModel> | undefined;
  const make = async (id: string): Promise<ChatModel> => {
    const object = given?.get(id);
    if (object !== undefined) return modelOfObject(id, object);
    const entry = entries?.get(id);
    if (entry !== undefined) return modelOfEntry(id, entry, { environment, providerTools });
    if (id !== SCRIPTED_MODEL) return resolveModel(id, environment, providerTools);
    return (await (scripted ??= startScriptedModel(demoPace))).model;
  };
  const added = new AddedModels({ environment, providerTools, entries });
  const find = async (id: string): Promise<ChatModel> => {
    if (isConnectedName(id)) return added.find(id);
    const model = found.get(id) ?? make(id);
    found.set(id, model);
    return model;
  };
  const models = await Promise.all(ids.map(find));
  const close = async (): Promise<void> => (await scripted)?.close();
  try {
    for (const name of providerTools) {
      for (const warning of checkProviderTool(name, models)) onWarning?.(warning);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first = SCRIPTED_MODEL] = ids;
  const list = (): readonly string[] => [...ids, ...added.list()];
  return {
    get default() {
      return (first === SCRIPTED_MODEL ? added.list()[0] : undefined) ?? first;
    },
    added,
    onChange: (listener) => added.onChange(listener),
    isChosen: named.length === 0 && entries === undefined,
    list,
    facts: (id) => {
      const model = added.get(id) ?? models[ids.indexOf(id)];
      if (model === undefined) throw unlisted(id, list());
      return modelFactsOf(model, id === SCRIPTED_MODEL);
    },
    find,
    close,
  };
}

/**
 * Limits models to the list, so that a caller cannot choose a model that the server does not offer.
 */
export function listedModels(models: OpenModels): Pick<OpenModels, 'list' | 'find'> {
  return {
    list: models.list,
    find: async (id) => {
      if (models.list().includes(id)) return models.find(id);
      throw unlisted(id, models.list());
    },
  };
}

function unlisted(id: string, known: readonly string[]): UsageError {
  return new UsageError(unknownModel(id, known, '/v1/models'));
}

function idsOf(
  named: readonly string[],
  environment: ModelEnvironment,
  entries: ModelEntries | undefined,
): readonly string[] {
  const ids = [...new Set([...named, ...(entries?.keys() ?? [])])];
  if (ids.length > 0) return ids;
  return entries === undefined ? modelsOfKeys(environment) : [SCRIPTED_MODEL];
}

function modelsOfKeys(environment: ModelEnvironment): readonly string[] {
  const isSet = (name: string): boolean => (environment[name] ?? '') !== '';
  const ofKeys = Object.entries(KEY_VARIABLES)
    .filter(([, variable]) => isSet(variable))
    .map(([provider]) => `${provider}:${MODEL_OF_PROVIDER[provider]}`);
  const isLocal = isSet('TRUECAST_BASE_URL') && isSet('TRUECAST_MODEL');
  const all = isLocal ? [`local:${environment['TRUECAST_MODEL']}`, ...ofKeys] : ofKeys;
  return all.length > 0 ? all : [SCRIPTED_MODEL];
}

type Model = Pick<ChatModel, 'id' | 'providerTools'>;

/**
 * Returns the warnings.
 *
 * @throws UsageError if no model has the tool, because the setting would have no effect
 */
function checkProviderTool(name: ProviderToolName, models: readonly Model[]): readonly string[] {
  const without = models.filter(({ providerTools }) => providerTools?.[name] === undefined);
  const alone = models.filter(({ providerTools }) => providerTools?.[name]?.isMixable === false);
  const has = 'Models of anthropic, openai and google have one';
  if (without.length === models.length) {
    throw new UsageError(
      `\`${name}\` of \`providerTools\` cannot be used: the provider of ${listed(without)} has no such tool. ${has}: add one to \`models\`, or remove \`${name}\`.`,
    );
  }
  return [
    ...(without.length === 0
      ? []
      : [`${listed(without)}: \`${name}\` is not available, because the provider has no such tool. ${has}.`]),
    ...(alone.length === 0
      ? []
      : [
          `${listed(alone)}: \`${name}\` only in turns without other tools and without a response_format, because the model cannot combine them. Gemini 3 and later can.`,
        ]),
  ];
}

function listed(models: readonly Model[]): string {
  return models.map(({ id }) => `\`${id}\``).join(', ');
}
