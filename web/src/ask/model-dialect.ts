/** Schema mode of a model, by its provider. Pure. */
import type { DialectReport } from '@truecast/server/internal/format/dry-run';

const DIALECTS: Readonly<Record<string, DialectReport['dialect']>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  google: 'gemini',
};

/** Returns the schema mode of a model such as `openai:gpt`. Undefined for a provider without one. */
export function dialectOf(model: string | undefined): DialectReport['dialect'] | undefined {
  const provider = model?.split(':')[0] ?? '';
  return Object.hasOwn(DIALECTS, provider) ? DIALECTS[provider] : undefined;
}
