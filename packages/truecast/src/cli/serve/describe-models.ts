/**
 * One-line description of a process's models: all models, the default, and the way to choose
 * another.
 */
import type { OpenModels } from '@truecast/server/internal/serve/server-models';

/** Returns the description. */
export function describeModels(models: Pick<OpenModels, 'default' | 'isChosen' | 'list'>): string {
  const others = models.list().filter((id) => id !== models.default);
  const also = others.length === 0 ? '' : `; also ${others.join(', ')}`;
  const how = models.isChosen
    ? ' (chosen from the API keys that are set; to change it, pass `--model provider:model` or set `models` in the configuration)'
    : '';
  return `model: ${models.default}${how}${also}`;
}
