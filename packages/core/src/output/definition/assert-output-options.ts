/** Validation of output definitions, when they are created. Pure. */
import { describeValue } from '../../errors/base/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { assertKnownOptions, type OptionNames } from '../../options/known-options.ts';
import type { AnyOutputDefinition, OutputJsonDefinition, Via } from './definition.ts';

const TAG = /^[A-Za-z_][A-Za-z0-9_.-]*$/u;
const ROUTES: readonly string[] = ['tag', 'native', 'mcp', 'tool', 'json'] satisfies Via[];
const RETRIES: readonly string[] = ['resume', 'fresh'];

/** A definition can be the base of another one. */
const OF_DEFINITIONS = ['_tag', '~output'] as const satisfies (keyof OutputJsonDefinition)[];

const SHARED_OPTIONS: OptionNames<Omit<OutputJsonDefinition, (typeof OF_DEFINITIONS)[number]>> = {
  tag: true,
  maxRetries: true,
  via: true,
  retry: true,
  maxPayloadBytes: true,
  check: true,
};

const OWN_OPTIONS: Readonly<Record<AnyOutputDefinition['_tag'], Readonly<Record<string, true>>>> = {
  object: { schema: true },
  string: {},
  array: { element: true },
  choice: { options: true },
  json: {},
};

/** Options shared by all helpers, as an untyped caller can pass them. */
interface SharedOptions {
  readonly tag?: unknown;
  readonly maxRetries?: unknown;
  readonly via?: unknown;
  readonly retry?: unknown;
  readonly maxPayloadBytes?: unknown;
  readonly check?: unknown;
}

/**
 * Rejects options that no runtime could use.
 *
 * @throws UsageError `invalid-definition`, with the expected and the received value
 */
export function assertSharedOptions(options: unknown, kind: AnyOutputDefinition['_tag']): void {
  const names = { ...SHARED_OPTIONS, ...OWN_OPTIONS[kind] };
  assertKnownOptions(options, {
    of: `\`Output.${kind}()\``,
    names,
    unlisted: OF_DEFINITIONS,
    code: 'invalid-definition',
  });
  const { tag, maxRetries, via, retry, maxPayloadBytes, check }: SharedOptions = options;
  if (tag !== undefined && (typeof tag !== 'string' || !TAG.test(tag))) {
    refuse(
      `Expected \`tag\` to match ${TAG.source.slice(1, -1)}, got ${describeValue(tag)}. Use a name such as \`result\`.`,
    );
  }
  if (maxRetries !== undefined && !(Number.isInteger(maxRetries) && Number(maxRetries) >= 0)) {
    refuse(`Expected \`maxRetries\` to be a non-negative integer, got ${describeValue(maxRetries)}.`);
  }
  if (via !== undefined && !(typeof via === 'string' && ROUTES.includes(via))) {
    refuse(
      `Expected \`via\` to be one of ${ROUTES.join(', ')}, got ${describeValue(via)}. Use one, or leave it out.`,
    );
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

/** Rejects an answer without a tag that only a tag can carry. */
export function assertTag(tag: unknown): void {
  if (tag === undefined) {
    refuse('Expected `tag` to name the tag around the text, got none. Name it, such as `tag: "summary"`.');
  }
}

/** Rejects a value that is not a Standard Schema. */
export function assertSchema(name: 'schema' | 'element', schema: unknown): void {
  const standard = isCarrier(schema) && '~standard' in schema ? schema['~standard'] : undefined;
  if (isCarrier(standard) && 'validate' in standard && typeof standard.validate === 'function') return;
  refuse(
    `Expected \`${name}\` to be a Standard Schema (Zod, Valibot, ArkType …), got ${describeValue(schema)}. Wrap a plain JSON Schema: \`jsonSchema(schema)\`.`,
  );
}

/** Rejects an empty list of choices, and duplicates. */
export function assertChoices(options: unknown): void {
  if (
    !Array.isArray(options) ||
    options.length === 0 ||
    !options.every((option): option is string => typeof option === 'string')
  ) {
    refuse(
      `Expected \`options\` to be a non-empty array of strings, got ${describeValue(options)}. Write \`['yes', 'no']\`.`,
    );
  }
  const seen = new Set<string>();
  const doubled = options.find((option) => seen.size === seen.add(option).size);
  if (doubled !== undefined)
    refuse(`Expected \`options\` to have no duplicates, got ${describeValue(doubled)} twice.`);
}

/** ArkType schemas are functions. */
function isCarrier(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function refuse(message: string): never {
  throw new UsageError(message, { code: 'invalid-definition' });
}
