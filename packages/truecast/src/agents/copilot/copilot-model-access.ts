/** Model access of Copilot through `egress: "model"`, for a custom model service. Pure. */
import { nonEmpty, PLACEHOLDER_KEY, type ModelAccess } from '../../ports/model-access.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables that describe the service and contain no key. */
const SETTINGS = [
  'COPILOT_MODEL',
  ...[
    'TYPE',
    'WIRE_API',
    'AZURE_API_VERSION',
    'MODEL_ID',
    'WIRE_MODEL',
    'MAX_PROMPT_TOKENS',
    'MAX_OUTPUT_TOKENS',
  ].map((name) => `COPILOT_PROVIDER_${name}`),
];

const API_KEY = 'COPILOT_PROVIDER_API_KEY';
const BEARER_TOKEN = 'COPILOT_PROVIDER_BEARER_TOKEN';
const KEY_COMMAND = 'COPILOT_PROVIDER_API_KEY_COMMAND';
const HEADERS = 'COPILOT_PROVIDER_HEADERS';

/**
 * Returns undefined without a custom service: Copilot's own service logs in at one host and serves
 * models at another. Also undefined if a command creates a new key for each request.
 */
export function copilotModelAccess(env: Environment): ModelAccess | undefined {
  const upstreamUrl = nonEmpty(env['COPILOT_PROVIDER_BASE_URL']);
  if (upstreamUrl === undefined || nonEmpty(env[KEY_COMMAND]) !== undefined) return undefined;
  const settings = Object.fromEntries(
    SETTINGS.flatMap((name) => {
      const value = nonEmpty(env[name]);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  return {
    upstreamUrl,
    headers: { ...loginHeaders(env), ...ownHeaders(env[HEADERS] ?? '') },
    environment: (loopbackUrl) => ({
      ...settings,
      COPILOT_PROVIDER_BASE_URL: loopbackUrl,
      [nonEmpty(env[BEARER_TOKEN]) === undefined ? API_KEY : BEARER_TOKEN]: PLACEHOLDER_KEY,
      // Login, telemetry and updates are blocked.
      COPILOT_OFFLINE: 'true',
    }),
    secretNames: [API_KEY, BEARER_TOKEN, HEADERS, 'COPILOT_GITHUB_TOKEN'],
  };
}

/** The headers that the CLI sends. A local server needs none. */
function loginHeaders(env: Environment): Readonly<Record<string, string>> {
  const bearer = nonEmpty(env[BEARER_TOKEN]);
  const key = nonEmpty(env[API_KEY]);
  if (bearer !== undefined) return { authorization: `Bearer ${bearer}` };
  if (key === undefined) return {};
  switch (env['COPILOT_PROVIDER_TYPE']) {
    case 'anthropic':
      return { 'x-api-key': key };
    case 'azure':
      return { 'api-key': key };
    default:
      return { authorization: `Bearer ${key}` };
  }
}

/** Lines of the form `Name: value`. */
function ownHeaders(text: string): Readonly<Record<string, string>> {
  const lines = text.split(/\n|\\n/u).map((line) => /^\s*([\w-]+)\s*:\s*(.*?)\s*$/u.exec(line));
  return Object.fromEntries(
    lines.flatMap((match) => (match?.[1] === undefined ? [] : [[match[1].toLowerCase(), match[2] ?? '']])),
  );
}
