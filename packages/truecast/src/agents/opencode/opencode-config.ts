/**
 * OpenCode configuration of one process, passed in an environment variable. The user's files stay
 * unchanged. Pure.
 */
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { McpServerCommand } from '../../ports/agent-provider.ts';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import type { ModelService } from '../stream/model-services.ts';
import { isRecord } from '@truecast/core/internal/kit/is-record';

/** Variable whose JSON the CLI merges over its configuration files. */
export const CONFIG_NAME = 'OPENCODE_CONFIG_CONTENT';

type Config = Readonly<Record<string, unknown>>;

/** Settings that are merged over the caller's content. */
export interface OpencodeConfigParts {
  /** The caller's `OPENCODE_CONFIG_CONTENT`. */
  readonly given: string | undefined;
  readonly service?: ModelService | undefined;
  /** Base URL of the service. */
  readonly baseURL?: string | undefined;
  readonly mcpServer?: McpServerCommand | undefined;
}

/**
 * Returns the variable's value, or undefined without settings to merge.
 *
 * @throws UsageError `invalid-option` if the caller's content is not a JSON object
 */
export function opencodeConfig({
  given,
  service,
  baseURL,
  mcpServer,
}: OpencodeConfigParts): string | undefined {
  const parts = [
    ...(service === undefined || baseURL === undefined ? [] : [providerConfig(service, baseURL)]),
    ...(mcpServer === undefined ? [] : [mcpConfig(mcpServer)]),
  ];
  if (parts.length === 0) return undefined;
  return JSON.stringify(parts.reduce(mergeConfig, readGiven(given)));
}

function readGiven(given: string | undefined): Config {
  if (given === undefined || given.trim() === '') return {};
  const value = jsonValueOf(given);
  if (isRecord(value)) return value;
  throw new UsageError(
    `Expected \`${CONFIG_NAME}\` to be a JSON object without comments, got ${describeValue(given)}. Correct it: Truecast merges it with the settings of the run.`,
  );
}

function providerConfig(service: ModelService, baseURL: string): Config {
  const { provider, modelId, keyName, isKnown } = service;
  const options = { baseURL };
  if (isKnown) return { provider: { [provider]: { options } } };
  const own = {
    npm: '@ai-sdk/openai-compatible',
    name: provider,
    // The CLI inserts the variable's value here. The configuration never contains the key.
    options: { ...options, apiKey: `{env:${keyName}}` },
    models: { [modelId]: { name: modelId } },
  };
  return { provider: { [provider]: own } };
}

function mcpConfig({ name, command, args }: McpServerCommand): Config {
  return { mcp: { [name]: { type: 'local', command: [command, ...args], enabled: true } } };
}

/** Merges objects key by key and replaces all other values. */
function mergeConfig(under: Config, over: Config): Config {
  const merged = Object.entries(over).map(([key, value]) => {
    const old = Object.hasOwn(under, key) ? under[key] : undefined;
    return [key, isRecord(old) && isRecord(value) ? mergeConfig(old, value) : value] as const;
  });
  return { ...under, ...Object.fromEntries(merged) };
}
