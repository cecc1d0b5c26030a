/** Options of output definitions: their validation, and the size limit. Pure. */
import { describeValue } from '../../kit/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import { assertKnownOptions, type OptionNames } from '../../options/known-options.ts';
import type { AnyOutputDefinition, OutputJsonDefinition } from './definition.ts';
import type { OutputKindName } from './output-kinds.ts';

const TAG = /^[A-Za-z_][A-Za-z0-9_.-]*$/u;
const MODES: readonly string[] = ['tag', 'native', 'mcp', 'tool', 'json'] satisfies NonNullable<
  AnyOutputDefinition['mode']
>[];
const RETRIES: readonly string[] = ['resume', 'fresh'];

/** A definition can be the base of another one. */
const OF_DEFINITIONS = ['_tag', '~output'] as const satisfies (keyof OutputJsonDefinition)[];

/** What an option must be, as the end of the sentence ``Expected `tag` to …``, and what to do instead. */
interface OptionRule {
  readonly fits: (value: unknown) => boolean;
  readonly expected: string;
  readonly next?: string;
}

/** Options of the helpers whose definitions can allow other outcomes than an answer. */
export const OUTCOME_OPTIONS = ['question', 'decline'] as const;

interface OutcomeOptionValues {
  readonly question?: unknown;
  readonly decline?: unknown;
}

const SHARED_OPTIONS: Readonly<
  Record<keyof OptionNames<Omit<OutputJsonDefinition, (typeof OF_DEFINITIONS)[number]>>, OptionRule>
> = {
  tag: {
    fits: (tag) => typeof tag === 'string' && TAG.test(tag),
    expected: `match ${TAG.source.slice(1, -1)}`,
    next: 'Use a name such as `result`.',
  },
  maxCorrections: {
    fits: (count) => Number.isInteger(count) && Number(count) >= 0,
    expected: 'be a non-negative integer',
  },
  mode: { ...oneOf(MODES), next: 'Use one, or leave it out.' },
  retry: oneOf(RETRIES),
  maxPayloadBytes: {
    fits: (bytes) => Number.isInteger(bytes) && Number(bytes) > 0,
    expected: 'be a positive integer',
  },
  check: { fits: (check) => typeof check === 'function', expected: 'be a function' },
};

function oneOf(words: readonly string[]): OptionRule {
  return {
    fits: (word) => typeof word === 'string' && words.includes(word),
    expected: `be one of ${words.join(', ')}`,
  };
}

/**
 * Rejects options that no runtime could use.
 *
 * @param own - options that only this helper has
 * @throws UsageError `invalid-definition`, with the expected and the received value
 */
export function assertSharedOptions(
  options: unknown,
  kind: OutputKindName,
  own: readonly string[] = [],
): void {
  const known = [...Object.keys(SHARED_OPTIONS), ...own];
  assertKnownOptions(options, {
    of: `\`Output.${kind}()\``,
    names: Object.fromEntries(known.map((name) => [name, true as const])),
    unlisted: OF_DEFINITIONS,
    ...(own.length > 0 && { hint: `Write \`Output.${kind}({ ${own[0]} })\`.` }),
    code: 'invalid-definition',
  });
  const given = new Map<string, unknown>(Object.entries(options));
  for (const [name, { fits, expected, next }] of Object.entries(SHARED_OPTIONS)) {
    const value = given.get(name);
    const advice = next === undefined ? '' : ` ${next}`;
    if (value !== undefined && !fits(value)) {
      refuse(`Expected \`${name}\` to ${expected}, got ${describeValue(value)}.${advice}`);
    }
  }
  const [tag, mode] = [given.get('tag'), given.get('mode')];
  if (tag !== undefined && mode !== undefined && mode !== 'tag') {
    refuse(
      `A \`tag\` is the mode \`tag\`, and cannot be combined with \`mode: ${JSON.stringify(mode)}\`. Leave one of them out.`,
    );
  }
  if (tag === undefined && mode === 'tag') {
    refuse('`mode: "tag"` needs a `tag`. Name it, such as `tag: "result"`.');
  }
}

/** Rejects an answer without a tag that only a tag can carry. */
export function assertTag(tag: unknown): void {
  if (tag === undefined) {
    refuse('Expected `tag` to name the tag around the text, got none. Name it, such as `tag: "summary"`.');
  }
}

/** Rejects values of the options that allow other outcomes than an answer. */
export function assertOutcomeOptions({ question, decline }: OutcomeOptionValues): void {
  if (question !== undefined && question !== true && !isStandardSchema(question)) {
    refuse(
      `Expected \`question\` to be \`true\` or a Standard Schema of a question, got ${describeValue(question)}. Leave it out to allow no question.`,
    );
  }
  if (decline !== undefined && decline !== true) {
    refuse(
      `Expected \`decline\` to be \`true\`, got ${describeValue(decline)}. Leave it out to allow no refusal.`,
    );
  }
}

/** Rejects a value that is not a Standard Schema. */
export function assertSchema(name: 'schema' | 'element', schema: unknown): void {
  if (isStandardSchema(schema)) return;
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
  if (doubled !== undefined) {
    refuse(`Expected \`options\` to have no duplicates, got ${describeValue(doubled)} twice.`);
  }
}

const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;

/** Returns the size limit of an answer, in bytes of UTF-8. */
export function maxBytesOf({ maxPayloadBytes = DEFAULT_MAX_BYTES }: AnyOutputDefinition): number {
  return maxPayloadBytes;
}

function isStandardSchema(schema: unknown): boolean {
  const standard = isCarrier(schema) && '~standard' in schema ? schema['~standard'] : undefined;
  return isCarrier(standard) && 'validate' in standard && typeof standard.validate === 'function';
}

/** ArkType schemas are functions. */
function isCarrier(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

function refuse(message: string): never {
  throw new UsageError(message, { code: 'invalid-definition' });
}
