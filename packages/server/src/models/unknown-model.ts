/**
 * Refusal of a model that a server does not have: the nearest name, and the names that it has. It repeats
 * nothing of the caller. Pure.
 */
import { suggest } from '@truecast/core/internal/options/suggest';

/** More names are counted. */
const MAX_SHOWN = 8;

/**
 * Returns the sentences of a refused model. `known` are the models that the caller can choose.
 *
 * @param route - the route that lists them all
 */
export function unknownModel(id: string, known: readonly string[], route: string): string {
  const shown = known.slice(0, MAX_SHOWN).map((name) => `\`${name}\``);
  const more = known.length > MAX_SHOWN ? ` and ${known.length - MAX_SHOWN} more` : '';
  const next = suggest(id, known) ?? `\`GET ${route}\` lists them.`;
  return `This server does not have the model. It has ${shown.join(', ')}${more}. ${next}`;
}
