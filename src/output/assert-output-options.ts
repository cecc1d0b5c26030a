/** Owns every refusal of a bad definition, where it is made. Pure. */
import { describeValue } from '../errors/describe-value.ts';
import { UsageError } from '../errors/usage-error.ts';
import type { Via } from './definition.ts';

const TAG = /^[A-Za-z_][A-Za-z0-9_.-]*$/u;
const ROUTES: readonly string[] = ['tag', 'native', 'mcp', 'tool', 'json'] satisfies Via[];
const RETRIES: readonly string[] = ['resume', 'fresh'];

/** The options that every helper shares, as they may come from a caller without types. */
interface SharedOptions {
  readonly tag?: unknown;
  readonly maxRetries?: unknown;
  readonly via?: unknown;
  readonly retry?: unknown;
  readonly maxPayloadBytes?: unknown;
  readonly check?: unknown;
}

/**
 * Refuses what no runtime could work with.
 *
 * @throws UsageError `invalid-definition`, with what was expected and what came
 */
export function assertSharedOptions({
  tag,
  maxRetries,
  via,
  retry,
  maxPayloadBytes,
  check,
}: SharedOptions): void {
  if (tag !== undefined && (typeof tag !== 'string' || !TAG.test(tag))) {
    refuse(
      `Expected \`tag\` to match ${TAG.source}, got ${describeValue(tag)}. Use a name such as \`result\`.`,
    );
  }
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && Number(maxRetries) >= 0)) {
    refuse(`Expected \`maxRetries\` to be a non-negative integer, got ${describeValue(maxRetries)}.`);
  }
  if (via !== undefined && !(typeof via === 'string' && ROUTES.includes(via))) {
    refuse(`Expected \`via\` to be one of ${ROUTES.join(', ')}, got ${describeValue(via)}.`);
  }
  if (tag !== undefined && via !== undefined && via !== 'tag') {
    refuse(
      `A \`tag\` takes the tag route and cannot be combined with \`via: ${JSON.stringify(via)}\`. Leave one of them out.`,
    );
  }
  if (tag === undefined && via === 'tag')
    refuse('`via: "tag"` needs a `tag`. Name it, such as `tag: "result"`.');
  if (retry !== undefined && !(typeof retry === 'string' && RETRIES.includes(retry))) {
    refuse(`Expected \`retry\` to be one of ${RETRIES.join(', ')}, got ${describeValue(retry)}.`);
  }
  if (maxPayloadBytes !== undefined && !(Number.isInteger(maxPayloadBytes) && Number(maxPayloadBytes) > 0)) {
    refuse(`Expected \`maxPayloadBytes\` to be a positive integer, got ${describeValue(maxPayloadBytes)}.`);
  }
  if (check !== undefined && typeof check !== 'function')
    refuse(`Expected \`check\` to be a function, got ${describeValue(check)}.`);
}

/** Refuses what is no Standard Schema. */
export function assertSchema(name: 'schema' | 'element', schema: unknown): void {
  const isCarrier = (typeof schema === 'object' && schema !== null) || typeof schema === 'function';
  if (isCarrier && '~standard' in schema) return;
  refuse(
    `Expected \`${name}\` to be a Standard Schema (Zod, Valibot, ArkType …), got ${describeValue(schema)}. Wrap a plain JSON Schema: \`jsonSchema(schema)\`.`,
  );
}

/** Refuses options of which none, or one twice, could be chosen. */
export function assertChoices(options: unknown): void {
  if (
    !Array.isArray(options) ||
    options.length === 0 ||
    !options.every((option) => typeof option === 'string')
  ) {
    refuse(`Expected \`options\` to be a non-empty array of strings, got ${describeValue(options)}.`);
  }
  const doubled = options.find((option, index) => options.indexOf(option) !== index);
  if (doubled !== undefined)
    refuse(`Expected \`options\` to differ from each other, got ${describeValue(doubled)} twice.`);
}

function refuse(message: string): never {
  throw new UsageError(message, { code: 'invalid-definition' });
}
