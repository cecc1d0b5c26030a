/** Default host lists: the hosts that each agent needs to log in and reach its model. Pure data. */
import { LOOPBACK_HOSTS } from '../ports/allow-rules.ts';
import { nonEmpty } from '../ports/model-access.ts';

const ANTHROPIC = ['api.anthropic.com', 'platform.claude.com'] as const;
const OPENAI = ['api.openai.com', 'auth.openai.com', 'chatgpt.com'] as const;
const GOOGLE = ['generativelanguage.googleapis.com'] as const;
const GOOGLE_LOGIN = ['cloudcode-pa.googleapis.com', 'oauth2.googleapis.com', 'www.googleapis.com'] as const;
const GITHUB_COPILOT = ['github.com', 'api.github.com', '*.githubcopilot.com'] as const;
const OPENROUTER = ['openrouter.ai'] as const;

/**
 * Model and login hosts by agent, taken from the CLIs' programs. Cursor's hosts come from its
 * documentation.
 */
export const AGENT_HOSTS: Readonly<
  Record<'claude-code' | 'codex' | 'gemini-cli' | 'copilot' | 'cursor', readonly string[]>
> = {
  'claude-code': ANTHROPIC,
  codex: OPENAI,
  'gemini-cli': [...GOOGLE, ...GOOGLE_LOGIN],
  copilot: GITHUB_COPILOT,
  cursor: ['cursor.com', '*.cursor.com', '*.cursor.sh'],
};

/** Model and login hosts by the provider prefix of a model name, for agents with many providers. */
const PROVIDER_HOSTS: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ['anthropic', ANTHROPIC],
  ['openai', OPENAI],
  ['openai-codex', OPENAI],
  ['openrouter', OPENROUTER],
  ['google', GOOGLE],
  ['google-gemini-cli', GOOGLE_LOGIN],
  ['github-copilot', GITHUB_COPILOT],
  ['opencode', ['opencode.ai']],
  ['groq', ['api.groq.com']],
]);

/** Hosts for a model name without a provider prefix. Only these can serve such a model. */
const USUAL_HOSTS: readonly string[] = [...ANTHROPIC, ...OPENAI, ...OPENROUTER, ...GOOGLE];

const FIRST_FREE_PORT = 1_024;

/** Returns the hosts for `provider/model`, or undefined if the provider's hosts are unknown. */
export function providerHosts(model: string): readonly string[] | undefined {
  const slash = model.indexOf('/');
  return slash === -1 ? USUAL_HOSTS : PROVIDER_HOSTS.get(model.slice(0, slash));
}

/**
 * Adds the host of a custom base URL to `hosts`. Returns undefined if the URL cannot be listed or
 * `hosts` is undefined.
 *
 * @param baseURL - if absent or empty, `hosts` is returned unchanged
 */
export function withHostOf(
  baseURL: string | undefined,
  hosts: readonly string[] | undefined,
): readonly string[] | undefined {
  if (nonEmpty(baseURL) === undefined) return hosts;
  const url = URL.parse(baseURL ?? '');
  if (url === null || url.hostname === '') return undefined;
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const isLoopback = LOOPBACK_HOSTS.includes(url.hostname.replace(/^\[|\]$/g, ''));
  if (isLoopback && port < FIRST_FREE_PORT) return undefined;
  return [url.port === '' ? url.hostname : `${url.hostname}:${port}`, ...(hosts ?? [])];
}
