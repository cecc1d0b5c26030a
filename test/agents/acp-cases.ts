/** Cases of the ACP presets: how each real agent is pointed at the scripted model. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ScriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { AcpOptions } from '../../packages/truecast/src/agents/acp/acp.ts';
import type { AcpPresetName } from '../../packages/truecast/src/agents/acp/presets.ts';
import { CLAUDE_ACP, CODEX_ALONE, openCodeConfig, OPENCODE_CONFIGURED, type RealCli } from './real-cli.ts';

export const ACP_KEY = 'sk-test-key';
/** As root, Claude refuses its most open mode on a host that does not declare a sandbox. */
export const AS_ROOT = process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {};

export interface PresetCase {
  readonly cli: RealCli;
  /** Points the agent at the server: options of `acp()`, and files of its home. */
  readonly options: (server: ScriptedModelServer) => Omit<AcpOptions, 'preset'>;
  readonly files?: (server: ScriptedModelServer) => HomeFiles;
  /** Mode that commits without a sandbox, if the agent's own default does not. */
  readonly mode?: string;
  /** It cannot load a session in the minute of its creation. */
  readonly isFresh?: boolean;
}

export type HomeFiles = Readonly<Record<string, string>>;

/** Writes the files to a home. */
export async function writeHomeFiles(home: string, files: HomeFiles = {}): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(home, name, '..'), { recursive: true });
    await writeFile(join(home, name), text);
  }
}

const codexConfig = ({ openaiUrl }: ScriptedModelServer): string => `model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "${openaiUrl}"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
[analytics]
enabled = false
${CODEX_ALONE}`;

const kimiConfig = ({ openaiUrl }: ScriptedModelServer): string => `default_model = "scripted"
[models.scripted]
provider = "local"
model = "scripted"
max_context_size = 100000
[providers.local]
type = "openai"
base_url = "${openaiUrl}"
api_key = "${ACP_KEY}"
`;

export const ACP_CASES: Readonly<Record<AcpPresetName, PresetCase>> = {
  'qwen-code': {
    cli: 'qwen',
    options: ({ openaiUrl }) => ({
      env: {
        OPENAI_API_KEY: ACP_KEY,
        OPENAI_BASE_URL: openaiUrl,
        OPENAI_MODEL: 'scripted',
        QWEN_TELEMETRY_ENABLED: 'false',
      },
    }),
    // In its own default, the model also judges each command.
    mode: 'yolo',
  },
  kimi: {
    cli: 'kimi',
    options: () => ({}),
    files: (server) => ({ '.kimi-code/config.toml': kimiConfig(server) }),
  },
  'claude-acp': {
    cli: 'claude-agent-acp',
    options: ({ anthropicUrl }) => ({
      env: {
        ANTHROPIC_BASE_URL: anthropicUrl,
        ANTHROPIC_API_KEY: ACP_KEY,
        ...CLAUDE_ACP,
      },
    }),
    mode: 'bypassPermissions',
  },
  'codex-acp': {
    cli: 'codex-acp',
    options: () => ({ env: { OPENAI_API_KEY: ACP_KEY } }),
    files: (server) => ({ '.codex/config.toml': codexConfig(server) }),
    mode: 'agent-full-access',
  },
  'copilot-acp': {
    cli: 'copilot',
    options: ({ openaiUrl }) => ({
      env: {
        COPILOT_PROVIDER_BASE_URL: openaiUrl,
        COPILOT_PROVIDER_API_KEY: ACP_KEY,
        COPILOT_OFFLINE: 'true',
        COPILOT_MODEL: 'scripted',
      },
    }),
  },
  'opencode-acp': {
    cli: 'opencode',
    options: ({ openaiUrl }) => ({
      model: 'local/scripted',
      env: {
        ...OPENCODE_CONFIGURED,
        ...openCodeConfig({ baseURL: openaiUrl, apiKey: ACP_KEY }),
      },
    }),
  },
  'gemini-acp': {
    cli: 'gemini',
    options: ({ geminiUrl }) => ({
      model: 'gemini-2.5-pro',
      env: { GEMINI_API_KEY: ACP_KEY, GOOGLE_GEMINI_BASE_URL: geminiUrl, GEMINI_TELEMETRY_ENABLED: 'false' },
    }),
    isFresh: true,
  },
};
