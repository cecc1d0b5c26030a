/** Kinds of models that the form connects, with the usual model and address of each. Pure. */
import type { ConnectModelBody } from '@truecast/client/internal/wire/model-connection';

export interface ModelKind {
  readonly name: string;
  readonly provider: ConnectModelBody['provider'];
  /** Name in the field before it is changed. */
  readonly model: string;
  /** Address in the field before it is changed. Absent for a hosted service, which has one address. */
  readonly address?: string;
}

const ANTHROPIC: ModelKind = { name: 'Anthropic', provider: 'anthropic', model: 'claude-sonnet-5-5' };
const OTHER: ModelKind = {
  name: 'Other address',
  provider: 'openai-compatible',
  model: '',
  address: 'https://',
};

export const KINDS: readonly ModelKind[] = [
  ANTHROPIC,
  { name: 'OpenAI', provider: 'openai', model: 'gpt-6.1-sol' },
  { name: 'Google', provider: 'google', model: 'gemini-3.8-flash' },
  {
    name: 'Ollama',
    provider: 'openai-compatible',
    model: 'qwen3:8b',
    address: 'http://127.0.0.1:11434/v1',
  },
  {
    name: 'llama.cpp',
    provider: 'openai-compatible',
    model: 'default',
    address: 'http://127.0.0.1:8080/v1',
  },
  OTHER,
];

/** Name of a connected model: `connected:PROVIDER:MODEL`. */
const NAME = /^connected:([a-z]+):(.+)$/u;

export function namesConnected(id: string): boolean {
  return NAME.test(id);
}

/** Returns the kind of a model that was connected before, and its model id. */
export function modelKindOf(id = ''): { readonly kind: ModelKind; readonly model?: string } {
  const [, provider, model] = NAME.exec(id) ?? [];
  if (provider === undefined || model === undefined) return { kind: ANTHROPIC };
  return { kind: KINDS.find((each) => each.provider === provider) ?? OTHER, model };
}
