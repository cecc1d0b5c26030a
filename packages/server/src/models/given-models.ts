/** Given models: model objects of the AI SDK that a program passes to its server, by their names. Pure. */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { GenerateModel } from '@truecast/model';
import type { ChatModel } from './chat-model.ts';
import { providerFacts } from './provider-facts.ts';

/** Model objects by their names. */
export type GivenModels = ReadonlyMap<string, GenerateModel>;

/** The names of all models, and the objects among them. */
export interface NamedModels {
  readonly names: readonly string[];
  readonly given: GivenModels;
}

/**
 * Names each model object `provider:model`, as those of the configuration.
 *
 * @throws UsageError for two objects of one name, or a value that is neither a name nor a model
 */
export function nameModels(models: readonly (string | GenerateModel)[]): NamedModels {
  const given = new Map<string, GenerateModel>();
  const names = models.map((model, index) => {
    if (typeof model === 'string') return model;
    if (!isModel(model)) {
      throw new UsageError(
        `Expected \`models[${index}]\` to be a name as \`provider:model\`, or a language model of the AI SDK, got ${describeValue(model)}. Pass one, such as \`openAICompatible({ baseURL, model })\`.`,
      );
    }
    const name = `${providerOf(model)}:${model.modelId}`;
    const other = given.get(name);
    if (other !== undefined && other !== model) {
      throw new UsageError(
        `Expected models with different names, got two as \`${name}\`. Remove one, or name both in a \`modelsFile\`.`,
      );
    }
    given.set(name, model);
    return name;
  });
  return { names: [...new Set(names)], given };
}

export function modelOfObject(id: string, model: GenerateModel): ChatModel {
  return { id, model, ...providerFacts(providerOf(model), model.modelId) };
}

/** Packages name their parts, such as `openai.responses`. */
function providerOf({ provider }: GenerateModel): string {
  return provider.split('.', 1)[0] ?? provider;
}

function isModel(model: unknown): model is GenerateModel {
  if (typeof model !== 'object' || model === null) return false;
  const { provider, modelId, doGenerate, doStream }: Partial<Record<keyof GenerateModel, unknown>> = model;
  const isNamed = typeof provider === 'string' && typeof modelId === 'string';
  return isNamed && typeof doGenerate === 'function' && typeof doStream === 'function';
}
