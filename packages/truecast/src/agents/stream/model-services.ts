/**
 * Registry of model services by provider prefix: `anthropic/…`, `openai/…`. For agents with many
 * providers. Pure.
 */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from '../../ports/model-access.ts';

/** A model's service and its credentials. */
export interface ModelService {
  /** Provider prefix of the model name. */
  readonly provider: string;
  /** Model name without the prefix. */
  readonly modelId: string;
  /** False for a service that the agents do not support by default. */
  readonly isKnown: boolean;
  /** Base URL of the service, or undefined if only the caller can know it. */
  readonly baseURL: string | undefined;
  /** Name of the environment variable with the service's key. */
  readonly keyName: string;
  headers(key: string): Readonly<Record<string, string>>;
}

/** Name of the variable with the key for a custom base URL. */
const KEY_NAME = 'OPENAI_API_KEY';

/** Services whose API and login were both tested. */
const KNOWN: Readonly<Record<string, Pick<ModelService, 'baseURL' | 'keyName' | 'headers'>>> = {
  anthropic: {
    baseURL: 'https://api.anthropic.com',
    keyName: 'ANTHROPIC_API_KEY',
    headers: (key) => ({ 'x-api-key': key }),
  },
  openai: { baseURL: 'https://api.openai.com/v1', keyName: KEY_NAME, headers: bearer },
  openrouter: {
    baseURL: 'https://openrouter.ai/api/v1',
    keyName: 'OPENROUTER_API_KEY',
    headers: bearer,
  },
};

/**
 * Returns the service of `provider/model`. Returns undefined for a model without a provider, or for
 * an unknown provider without a `baseURL`.
 *
 * @throws UsageError `invalid-option` for a `baseURL` if the model has no provider
 */
export function modelServiceOf(
  model: string | undefined,
  baseURL: string | undefined,
): ModelService | undefined {
  if (model !== undefined) assertKind(model, 'a string', 'model', 'Pass `provider/model`, or leave it out.');
  const slash = model?.indexOf('/') ?? -1;
  if (model === undefined || slash < 1 || slash === model.length - 1) {
    if (baseURL === undefined) return undefined;
    throw new UsageError(
      `Expected the model to be \`provider/model\` if \`baseURL\` is set, got \`${model ?? ''}\`. Any provider name is valid for a custom service, such as \`local/llama3.1:8b\`.`,
    );
  }
  const provider = model.slice(0, slash);
  const known = Object.hasOwn(KNOWN, provider) ? KNOWN[provider] : undefined;
  if (known === undefined && baseURL === undefined) return undefined;
  return {
    keyName: KEY_NAME,
    headers: bearer,
    ...known,
    provider,
    modelId: model.slice(slash + 1),
    isKnown: known !== undefined,
    baseURL: baseURL ?? known?.baseURL,
  };
}

/**
 * Returns the access to a service with the key of an environment, and `inside` as the agent's
 * environment. Undefined without an address or a needed key.
 */
export function serviceAccess(
  { baseURL, keyName, headers, isKnown }: ModelService,
  env: Readonly<Record<string, string | undefined>>,
  inside: ModelAccess['environment'],
): ModelAccess | undefined {
  const key = nonEmpty(env[keyName]);
  // A custom server does not always need a key.
  if (baseURL === undefined || (key === undefined && isKnown)) return undefined;
  return {
    upstreamUrl: baseURL,
    headers: key === undefined ? {} : headers(key),
    environment: (loopbackUrl) => ({ [keyName]: PLACEHOLDER_KEY, ...inside(loopbackUrl) }),
    secretNames: [keyName],
  };
}

function bearer(key: string): Readonly<Record<string, string>> {
  return { authorization: `Bearer ${key}` };
}
