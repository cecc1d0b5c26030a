/**
 * One-line description of a process's models: all models, the default, and the way to choose
 * another.
 */
import type { OpenModels } from '@truecast/server/internal/serve/server-models';

/** Returns the description. The environment has the address of a local model's server. */
export function describeModels(
  models: Pick<OpenModels, 'default' | 'isChosen' | 'list'>,
  environment: Readonly<Record<string, string | undefined>> = {},
): string {
  const others = models.list().filter((id) => id !== models.default);
  const also = others.length === 0 ? '' : `; also ${others.join(', ')}`;
  const how = models.isChosen ? whyChosen(models.default, environment['TRUECAST_BASE_URL']) : '';
  return `model: ${models.default}${how}${also}`;
}

/** A wrong address is seen here before the first call fails. */
function whyChosen(id: string, address = ''): string {
  if (!id.startsWith('local:') || !URL.canParse(address)) {
    return ' (chosen from the API keys that are set; to change it, pass `--model provider:model` or set `models` in the configuration)';
  }
  // The address can contain a password.
  const { origin, pathname } = new URL(address);
  return ` at ${origin}${pathname} (from TRUECAST_BASE_URL and TRUECAST_MODEL)`;
}
