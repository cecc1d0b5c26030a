/**
 * Lengths of strings in a lowered schema. OpenAI's strict mode has no lengths, so the lowering
 * removes them. Grammars of local servers support them. Without a length, a model that loops is
 * never stopped. Pure.
 */
import { isRecord } from '@truecast/core/internal/errors/base/is-record';
import { valueAt } from '@truecast/core/internal/output/json/value-at';
import type { LoweredJsonSchema } from '@truecast/core/internal/schema/dialects/lower-json-schema';

const LENGTHS: readonly string[] = ['minLength', 'maxLength'];
/** llama.cpp rejects a grammar with more repetitions. */
const MAX_LENGTH = 2_000;

/**
 * Returns the schema with its lengths. Only strings below properties and items have them: the
 * lowering can reorder what is below a union.
 */
export function withLengths(
  { schema, losses }: Pick<LoweredJsonSchema, 'schema' | 'losses'>,
  original: unknown,
): Readonly<Record<string, unknown>> {
  const lengths = losses.flatMap(({ path, keyword }) => {
    const length = LENGTHS.includes(keyword) && isInPlace(path) ? valueAt(original, path) : undefined;
    return typeof length === 'number' && length <= MAX_LENGTH ? [{ path, keyword, length }] : [];
  });
  if (lengths.length === 0) return schema;
  const bounded = structuredClone(schema);
  for (const { path, keyword, length } of lengths) {
    const node = valueAt(bounded, path.slice(0, -1));
    if (isRecord(node) && [node['type']].flat().includes('string'))
      Object.assign(node, { [keyword]: length });
  }
  return bounded;
}

/** Returns true if a service rejects a schema for its lengths. */
export function refusesLengths(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const body = 'responseBody' in error ? String(error.responseBody) : '';
  return /m(?:ax|in)_?length|repetition/iu.test(`${error.message} ${body}`);
}

/** Returns true for a keyword whose place the lowering keeps. */
function isInPlace(path: readonly (string | number)[]): boolean {
  let index = 0;
  while (index < path.length - 1) {
    const key = path[index];
    if (key !== 'items' && key !== 'properties' && key !== '$defs') return false;
    index += key === 'items' ? 1 : 2;
  }
  return index === path.length - 1;
}
