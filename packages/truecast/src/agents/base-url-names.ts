/**
 * Environment variables that redirect agents and their SDKs to another service, each with the keys
 * that are sent there. Pure data.
 */

/** One variable that redirects requests. */
export interface BaseUrlName {
  readonly name: string;
  /** Variables whose values are sent to that base URL. */
  readonly keys: readonly string[];
  /** True if the agent also sends the login stored by its CLI. */
  readonly sendsStoredLogin: boolean;
}

const ANTHROPIC_KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'CLAUDE_CODE_OAUTH_TOKEN',
  'ANTHROPIC_CUSTOM_HEADERS',
];
const OPENAI_KEYS = ['OPENAI_API_KEY', 'CODEX_API_KEY'];
const GEMINI_KEYS = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];
const AWS_KEYS = [
  'AWS_BEARER_TOKEN_BEDROCK',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
];
const COPILOT_KEYS = [
  'COPILOT_PROVIDER_API_KEY',
  'COPILOT_PROVIDER_BEARER_TOKEN',
  'COPILOT_PROVIDER_HEADERS',
  'COPILOT_PROVIDER_API_KEY_COMMAND',
];
const GITHUB_KEYS = ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'];
const CURSOR_KEYS = ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'];
const SERVICE_KEYS = [...ANTHROPIC_KEYS, ...OPENAI_KEYS, ...GEMINI_KEYS, 'OPENROUTER_API_KEY'];

/** Redirecting variables of all agents in this folder. */
export const BASE_URL_NAMES: readonly BaseUrlName[] = [
  { name: 'ANTHROPIC_BASE_URL', keys: ANTHROPIC_KEYS, sendsStoredLogin: true },
  { name: 'ANTHROPIC_BEDROCK_BASE_URL', keys: AWS_KEYS, sendsStoredLogin: true },
  { name: 'ANTHROPIC_VERTEX_BASE_URL', keys: ['GOOGLE_APPLICATION_CREDENTIALS'], sendsStoredLogin: true },
  { name: 'ANTHROPIC_FOUNDRY_BASE_URL', keys: ['ANTHROPIC_FOUNDRY_API_KEY'], sendsStoredLogin: true },
  { name: 'OPENAI_BASE_URL', keys: OPENAI_KEYS, sendsStoredLogin: true },
  { name: 'GOOGLE_GEMINI_BASE_URL', keys: GEMINI_KEYS, sendsStoredLogin: true },
  {
    name: 'GOOGLE_VERTEX_BASE_URL',
    keys: [...GEMINI_KEYS, 'GOOGLE_APPLICATION_CREDENTIALS'],
    sendsStoredLogin: true,
  },
  { name: 'CODE_ASSIST_ENDPOINT', keys: ['GOOGLE_CLOUD_ACCESS_TOKEN'], sendsStoredLogin: true },
  { name: 'COPILOT_PROVIDER_BASE_URL', keys: COPILOT_KEYS, sendsStoredLogin: false },
  { name: 'COPILOT_API_URL', keys: GITHUB_KEYS, sendsStoredLogin: true },
  { name: 'GH_HOST', keys: GITHUB_KEYS, sendsStoredLogin: true },
  { name: 'OPENROUTER_BASE_URL', keys: ['OPENROUTER_API_KEY'], sendsStoredLogin: false },
  // The CLI reads this name, which its documentation does not list.
  { name: 'CURSOR_API_ENDPOINT', keys: CURSOR_KEYS, sendsStoredLogin: true },
  { name: 'CURSOR_API_BASE_URL', keys: CURSOR_KEYS, sendsStoredLogin: true },
  // Settings of these CLIs can contain a base URL for any service.
  { name: 'OPENCODE_CONFIG_CONTENT', keys: SERVICE_KEYS, sendsStoredLogin: false },
  { name: 'OPENCODE_CONFIG', keys: SERVICE_KEYS, sendsStoredLogin: false },
  { name: 'OPENCODE_CONFIG_DIR', keys: SERVICE_KEYS, sendsStoredLogin: false },
  { name: 'PI_CODING_AGENT_DIR', keys: SERVICE_KEYS, sendsStoredLogin: false },
  { name: 'CODEX_HOME', keys: OPENAI_KEYS, sendsStoredLogin: false },
  { name: 'CLAUDE_CONFIG_DIR', keys: ANTHROPIC_KEYS, sendsStoredLogin: false },
];
