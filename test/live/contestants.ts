/** Contestants of the proof with real models: four coding agents and three model services, small models of each. */
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import type { Prices } from '../../packages/core/src/kit/usage.ts';
import type { GenerateModel } from '../../packages/model/src/call/generate-options.ts';
import type { ScriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import { claudeCode } from '../../packages/truecast/src/agents/claude-code/claude-code.ts';
import { codex } from '../../packages/truecast/src/agents/codex/codex.ts';
import { geminiCli } from '../../packages/truecast/src/agents/gemini-cli/gemini-cli.ts';
import { opencode } from '../../packages/truecast/src/agents/opencode/opencode.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';

/** Who answers: an agent in a repository, or a model. */
interface Contestant {
  readonly name: string;
  /** Variable with its key. */
  readonly keyName: string;
  readonly model: string;
  readonly prices: Prices;
}

export interface AgentContestant extends Contestant {
  readonly kind: 'agent';
  /** Program on the PATH. */
  readonly program: string;
  agent(dry: ScriptedModelServer | undefined): AgentProvider;
}

export interface ModelContestant extends Contestant {
  readonly kind: 'model';
  open(apiKey: string, dry: ScriptedModelServer | undefined): GenerateModel;
}

/**
 * Small models, and their list prices, as the pages of the three services had them in November 2026. No key
 * has tried them yet: a service that renames a model fails its questions. Edit both to try other models.
 *
 * Prices that are too low make the limit too high. Those of Haiku are five times as high for a prompt of more
 * than 100,000 tokens, those of Luna twice as high above 272,000. The questions are far below both.
 */
const HAIKU = 'claude-haiku-5-5';
const LUNA = 'gpt-6-luna';
const LITE = 'gemini-3.1-flash-lite';
const SMALL: Prices = {
  inputUsdPerMillion: 0.1,
  outputUsdPerMillion: 0.5,
  cacheReadUsdPerMillion: 0.01,
  cacheCreationUsdPerMillion: 0.125,
};
const ANTHROPIC = { keyName: 'ANTHROPIC_API_KEY', model: HAIKU, prices: SMALL } as const;
const OPENAI = { keyName: 'OPENAI_API_KEY', model: LUNA, prices: SMALL } as const;
const GOOGLE = {
  keyName: 'GEMINI_API_KEY',
  model: LITE,
  prices: { inputUsdPerMillion: 0.25, outputUsdPerMillion: 1.5, cacheReadUsdPerMillion: 0.03 },
} as const;

/** OpenCode fetches a catalogue of models at its start. In a dry run it must not. */
const SCRIPTED = 'local/scripted';

export const CONTESTANTS: readonly (AgentContestant | ModelContestant)[] = [
  {
    ...ANTHROPIC,
    kind: 'agent',
    name: 'Claude Code',
    program: 'claude',
    agent: () => claudeCode(HAIKU),
  },
  {
    ...OPENAI,
    kind: 'agent',
    name: 'Codex',
    program: 'codex',
    agent: (dry) => codex(LUNA, dry === undefined ? {} : { baseURL: dry.openaiUrl }),
  },
  {
    ...GOOGLE,
    kind: 'agent',
    name: 'Gemini CLI',
    program: 'gemini',
    agent: (dry) => geminiCli(LITE, dry === undefined ? {} : { baseURL: dry.geminiUrl }),
  },
  {
    ...ANTHROPIC,
    kind: 'agent',
    name: 'OpenCode',
    program: 'opencode',
    agent: (dry) =>
      dry === undefined ? opencode(`anthropic/${HAIKU}`) : opencode(SCRIPTED, { baseURL: dry.openaiUrl }),
  },
  {
    ...ANTHROPIC,
    kind: 'model',
    name: 'Anthropic',
    open: (apiKey, dry) =>
      createAnthropic({ apiKey, ...(dry !== undefined && { baseURL: `${dry.anthropicUrl}/v1` }) })(HAIKU),
  },
  {
    ...OPENAI,
    kind: 'model',
    name: 'OpenAI',
    open: (apiKey, dry) =>
      createOpenAI({ apiKey, ...(dry !== undefined && { baseURL: dry.openaiUrl }) }).responses(LUNA),
  },
  {
    ...GOOGLE,
    kind: 'model',
    name: 'Google',
    open: (apiKey, dry) =>
      createGoogle({ apiKey, ...(dry !== undefined && { baseURL: `${dry.geminiUrl}/v1beta` }) })(LITE),
  },
];
