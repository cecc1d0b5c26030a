/** Owns which model services are known by the name that agents with many providers put before a model: `anthropic/…`, `openai/…`. Pure. */
import { UsageError } from '../../errors/usage-error.ts';
import { nonEmpty } from './model-access.ts';

/** A model's service, and how it is logged in to. */
export interface ModelService {
  /** The name before the model. */
  readonly provider: string;
  /** The model behind that name. */
  readonly modelId: string;
  /** False for a service that the agents do not know by themselves. */
  readonly isKnown: boolean;
  /** Base URL of the service; undefined where only the caller can know it. */
  readonly baseUrl: string | undefined;
  /** Name of the environment variable that the agents read its key from. */
  readonly keyName: string;
  /** Headers by which it knows the caller. */
  headers(key: string): Readonly<Record<string, string>>;
}

/** Name of the variable that holds the key for a base URL of the caller's. */
const KEY_NAME = 'OPENAI_API_KEY';

/** Services that both wires and logins were tried with. */
const KNOWN: Readonly<Record<string, Pick<ModelService, 'baseUrl' | 'keyName' | 'headers'>>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com',
    keyName: 'ANTHROPIC_API_KEY',
    headers: (key) => ({ 'x-api-key': key }),
  },
  openai: { baseUrl: 'https://api.openai.com/v1', keyName: KEY_NAME, headers: bearer },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    keyName: 'OPENROUTER_API_KEY',
    headers: bearer,
  },
};

/**
 * Tells the service of `provider/model`; undefined for a model without a provider, and for a provider that is not known and has no `baseUrl`.
 *
 * @throws UsageError `invalid-option` for a `baseUrl` without a provider that it belongs to
 */
export function modelServiceOf(
  model: string | undefined,
  baseUrl: string | undefined,
): ModelService | undefined {
  const slash = model?.indexOf('/') ?? -1;
  if (model === undefined || slash < 1 || slash === model.length - 1) {
    if (baseUrl === undefined) return undefined;
    throw new UsageError(
      `Expected the model to be written \`provider/model\` where \`baseUrl\` is given, got \`${model ?? ''}\`. Any name will do for a provider of your own, as in \`local/llama3.1:8b\`.`,
    );
  }
  const provider = model.slice(0, slash);
  const known = Object.hasOwn(KNOWN, provider) ? KNOWN[provider] : undefined;
  if (known === undefined && baseUrl === undefined) return undefined;
  return {
    keyName: KEY_NAME,
    headers: bearer,
    ...known,
    provider,
    modelId: model.slice(slash + 1),
    isKnown: known !== undefined,
    baseUrl: baseUrl ?? known?.baseUrl,
  };
}

/** The service's key in an environment. */
export function keyOf(
  { keyName }: ModelService,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  return nonEmpty(env[keyName]);
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
