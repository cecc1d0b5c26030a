/** Owns which models a server has: those that were named, else those whose keys are in the environment, else the scripted one. */
import { UsageError } from '../errors/usage-error.ts';
import type { ProviderToolName } from '../server/contract/tools.ts';
import type { ChatModel } from '../server/models/chat-model.ts';
import { KEY_VARIABLES, resolveModel, type ModelEnvironment } from '../server/models/resolve-model.ts';
import { checkProviderTool } from './check-provider-tool.ts';
import { SCRIPTED_MODEL, startScriptedModel, type ScriptedChatModel } from './scripted-model.ts';

/** The models of one process. */
export interface OpenModels {
  readonly default: string;
  /** Nobody named a model: the keys of the environment chose. */
  readonly isChosen: boolean;
  /** The default first. */
  list(): readonly string[];
  /** Finds a model of the list, or one that another process of the server lists. */
  find(id: string): Promise<ChatModel>;
  close(): Promise<void>;
}

/** Tools that providers run. */
export interface ProviderToolSettings {
  /** @default [] */
  readonly providerTools?: readonly ProviderToolName[];
  /** Is told which models are without one, or have it in some turns only. */
  readonly onWarning?: (warning: string) => void;
}

/** What each key opens, unless a model is named: of each service the middle of what it names as current and stable (their pages of models, November 2026). */
const MODEL_OF_PROVIDER: Readonly<Record<string, string>> = {
  anthropic: 'claude-sonnet-5-5',
  openai: 'gpt-6.1-sol',
  google: 'gemini-3.8-flash',
};

/**
 * Opens the models; those that are named are tried, so far as that needs no network.
 *
 * @throws UsageError for a name that is none, for one whose key or address is not there, and for a tool that none of the models has
 */
export async function openModels(
  named: readonly string[],
  environment: ModelEnvironment,
  { providerTools = [], onWarning }: ProviderToolSettings = {},
): Promise<OpenModels> {
  const ids = [...new Set(named.length > 0 ? named : modelsOfKeys(environment))];
  const found = new Map<string, Promise<ChatModel>>();
  let scripted: Promise<ScriptedChatModel> | undefined;
  const make = async (id: string): Promise<ChatModel> => {
    if (id !== SCRIPTED_MODEL) return resolveModel(id, environment, providerTools);
    return (await (scripted ??= startScriptedModel())).model;
  };
  const find = (id: string): Promise<ChatModel> => {
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
  return {
    default: first,
    isChosen: named.length === 0,
    list: () => ids,
    find,
    close,
  };
}

/** Narrows models to those of the list: a caller may not choose what the server did not offer. */
export function listedModels(models: OpenModels): Pick<OpenModels, 'list' | 'find'> {
  return {
    list: models.list,
    find: async (id) => {
      if (models.list().includes(id)) return models.find(id);
      throw new UsageError(`There is no model \`${id}\` here. \`GET /v1/models\` lists those that are.`);
    },
  };
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
