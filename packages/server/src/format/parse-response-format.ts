/** Parser for the raw `response_format` of a client: a format, or all its problems. Pure. */
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { isLongerThan } from '@truecast/core/internal/kit/utf8-length';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { isObjectRoot, wrapRoot } from '@truecast/core/internal/schema/wrap-root';
import { fieldOf, toPointer, type FormatProblem } from './format-problem.ts';
import { schemaProblems } from './schema-problems.ts';
import { screenJson } from './screen-json.ts';

export interface ResponseFormat {
  readonly name: string;
  readonly description?: string;
  readonly schema: JsonSchema;
  /**
   * True if the answer is not an object and is wrapped in one. Possible only if any root is
   * allowed.
   */
  readonly isWrapped: boolean;
}

/** The client's choice. */
export type ParsedResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_schema'; readonly format: ResponseFormat }
  | { readonly type: 'refused'; readonly problems: readonly FormatProblem[] };

/** Accepted variants. */
export interface ParseFormatOptions {
  /** Name of the format's field. @default 'response_format' */
  readonly field?: string;
  /**
   * `chat`: the rules of this server. `openai`: also accepts `strict: false`, `json_object` and
   * non-object roots, and still validates. `openai-flat`: the same, with the schema next to `type`,
   * as in `text.format`.
   * @default 'chat'
   */
  readonly wire?: 'chat' | 'openai' | 'openai-flat';
}

/** Maximum size of a description in UTF-8 bytes. */
const MAX_DESCRIPTION_BYTES = 1_024;

const NAME = /^[A-Za-z0-9_-]{1,64}$/u;

const SCHEMA_KEYS: ReadonlySet<string> = new Set(['name', 'description', 'schema', 'strict']);

const MESSAGES = {
  object: 'Must be a JSON object with type and, for "json_schema", json_schema.',
  json: 'Must be valid JSON, without the keys "__proto__" and "constructor.prototype".',
  doubled: 'A key is repeated in one object. Send it once.',
  surrogate: 'A string contains half of a surrogate pair. Send whole characters.',
  unknown: 'Is not a known key. Leave it out.',
  type: 'Is required. Set it to "text" or "json_schema".',
  otherType: 'Must be "text" or "json_schema".',
  withText: 'Is accepted only with the type "json_schema". Leave it out, or set that type.',
  nested:
    'Its members belong directly into the format here. Send {"type": "json_schema", "name": "answer", "schema": {…}}.',
  missing: 'Is required with the type "json_schema".',
  schemaObject: 'Must be a JSON object with name and schema.',
  name: 'Must be 1 to 64 letters, digits, underscores and hyphens.',
  strict: 'Answers are always validated. Leave it out, or set it to true.',
  strictType: 'Must be a boolean.',
  description: `Must be a string of at most ${MAX_DESCRIPTION_BYTES} bytes in UTF-8.`,
  schema: 'Is required: the JSON Schema of the answer.',
} as const;

/** Many clients send the schema without its envelope. */
function flatDetail(keys: readonly string[]): string {
  return `Expected the schema in \`json_schema\`, got ${keys.map((key) => `\`${key}\``).join(', ')} beside it. Send {"type": "json_schema", "json_schema": {"name": "answer", "schema": {…}}}. \`description\` and \`strict\` belong into \`json_schema\` too.`;
}

/**
 * Parses the raw text of a `response_format` member. Undefined if the body has none.
 *
 * Duplicate keys are visible only in the raw text. Never throws.
 */
export function parseResponseFormat(
  text: string | undefined,
  { field = 'response_format', wire = 'chat' }: ParseFormatOptions = {},
): ParsedResponseFormat {
  if (text === undefined) return { type: 'text' };
  const parsed = parseJson(text);
  if (!parsed.success) return refuse([{ field, detail: MESSAGES.json }]);
  const reading = new FormatReading(field, wire);
  for (const { kind, path, message } of screenJson(text)) {
    // Bounds of 64-bit integers are usual in schemas, and rounding them changes little.
    if (kind === 'integer') continue;
    const own = kind === 'doubled-key' ? MESSAGES.doubled : MESSAGES.surrogate;
    reading.problems.push(faultProblem(field, path, message === undefined ? own : `${message}.`));
  }
  const format = reading.read(parsed.value);
  if (reading.problems.length > 0) return refuse(reading.problems);
  return format === undefined ? { type: 'text' } : { type: 'json_schema', format };
}

/** Problems of the format's own keys are reported by field, those inside the schema by pointer. */
function faultProblem(field: string, path: readonly (string | number)[], detail: string): FormatProblem {
  const inSchema = path.indexOf('schema') + 1;
  const isInSchema = inSchema === 1 || (inSchema === 2 && path[0] === 'json_schema');
  const own = isInSchema ? path.slice(0, inSchema) : path;
  const named = own.reduce<string>((name, key) => fieldOf(name, String(key)), field);
  const rest = path.slice(own.length);
  return { field: named, detail, ...(rest.length > 0 && { pointer: toPointer(rest) }) };
}

function refuse(problems: readonly FormatProblem[]): ParsedResponseFormat {
  return { type: 'refused', problems };
}

/** Collects problems, field by field. */
class FormatReading {
  readonly problems: FormatProblem[] = [];
  readonly #field: string;
  readonly #wire: Required<ParseFormatOptions>['wire'];

  constructor(field: string, wire: Required<ParseFormatOptions>['wire']) {
    this.#field = field;
    this.#wire = wire;
  }

  /** Returns undefined for the type `text`, and if there are problems. */
  read(value: unknown): ResponseFormat | undefined {
    if (value === null) return undefined;
    if (!isRecord(value)) return this.#refuse(this.#field, MESSAGES.object);
    const isFlat = this.#wire === 'openai-flat';
    const { type, json_schema: nested, ...rest } = value;
    const misplaced = Object.keys(rest).filter((key) => SCHEMA_KEYS.has(key));
    if (!isFlat && nested === undefined && misplaced.length > 0) {
      return this.#refuse(this.#field, flatDetail(misplaced));
    }
    if (isFlat && nested !== undefined && rest['schema'] === undefined) {
      return this.#refuse(`${this.#field}.json_schema`, MESSAGES.nested);
    }
    if (!isFlat) this.#refuseUnknown(this.#field, rest, new Set());
    const hasNested = nested !== undefined && !isFlat;
    const nestedField = `${this.#field}.json_schema`;
    if (type === undefined) return this.#refuse(`${this.#field}.type`, MESSAGES.type);
    if (type === 'text') return hasNested ? this.#refuse(nestedField, MESSAGES.withText) : undefined;
    if (type === 'json_object' && this.#wire !== 'chat') {
      return { name: 'json_object', schema: { type: 'object' }, isWrapped: false };
    }
    if (type !== 'json_schema') return this.#refuse(`${this.#field}.type`, MESSAGES.otherType);
    if (isFlat) return this.#readSchemaPart(rest, this.#field);
    if (!hasNested) return this.#refuse(nestedField, MESSAGES.missing);
    if (!isRecord(nested)) return this.#refuse(nestedField, MESSAGES.schemaObject);
    return this.#readSchemaPart(nested, nestedField);
  }

  #readSchemaPart(part: Readonly<Record<string, unknown>>, field: string): ResponseFormat | undefined {
    const { name, description, schema, strict } = part;
    this.#refuseUnknown(field, part, SCHEMA_KEYS);
    if (typeof name !== 'string' || !NAME.test(name)) this.#refuse(`${field}.name`, MESSAGES.name);
    this.#checkStrict(strict, `${field}.strict`);
    const isOpenAi = this.#wire !== 'chat';
    const hasDescription = description !== undefined && !(isOpenAi && description === null);
    if (hasDescription && !isDescription(description)) {
      this.#refuse(`${field}.description`, MESSAGES.description);
    }
    const place = { field: `${field}.schema`, allowsAnyRoot: isOpenAi };
    if (schema === undefined) this.#refuse(place.field, MESSAGES.schema);
    else this.problems.push(...schemaProblems(schema, place));
    if (typeof name !== 'string' || !isRecord(schema) || this.problems.length > 0) return undefined;
    const isWrapped = !isObjectRoot(schema);
    return {
      name,
      schema: isWrapped ? wrapRoot(schema) : schema,
      isWrapped,
      ...(isDescription(description) && { description }),
    };
  }

  #checkStrict(strict: unknown, field: string): void {
    if (strict === undefined || strict === true) return;
    if (this.#wire !== 'chat' && (strict === false || strict === null)) return;
    this.#refuse(field, strict === false ? MESSAGES.strict : MESSAGES.strictType);
  }

  #refuseUnknown(field: string, record: object, known: ReadonlySet<string>): void {
    for (const key of Object.keys(record)) {
      if (!known.has(key)) this.#refuse(fieldOf(field, key), MESSAGES.unknown);
    }
  }

  #refuse(field: string, detail: string): undefined {
    this.problems.push({ field, detail });
  }
}

function isDescription(description: unknown): description is string {
  return typeof description === 'string' && !isLongerThan(description, MAX_DESCRIPTION_BYTES);
}
