/**
 * One-line description of a process's models: all models, the default, and how to choose another.
 */
import type { OpenModels } from '../../serve/server-models.ts';

/** Returns the description. */
export function describeModels(models: Pick<OpenModels, 'default' | 'isChosen' | 'list'>): string {
  const others = models.list().filter((id) => id !== models.default);
  const also = others.length === 0 ? '' : `; also ${others.join(', ')}`;
  const how = models.isChosen
    ? ' (chosen by the keys that are set; another: `--model provider:model`, or `models` of the configuration)'
    : '';
  return `model: ${models.default}${how}${also}`;
}
