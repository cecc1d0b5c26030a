/** Fields of several answers side by side. Pure. */
import { ExactNumber } from '@truecast/core/internal/json/exact-value';
import {
  asRecord,
  describeType,
  membersOf,
  resolveSchema,
  type DescribedSchema,
} from '../json/describe-schema.ts';
import { pointerKey } from '../json/pointer-key.ts';

/** One answer: that of a request, or of a run. */
export interface ComparedAnswer {
  readonly key: string;
  /** The model or the agent. */
  readonly title: string;
  readonly href: string;
  readonly state: 'valid' | 'failed' | 'open';
  readonly note: string;
  /** The valid value, or the last refused one. Undefined without one. */
  readonly value: unknown;
  /** Values of the attempts before, the oldest first. */
  readonly refused: readonly unknown[];
  /** Issues of the last attempt, if it was refused. */
  readonly issues: readonly { readonly path: string; readonly rule: string }[];
  readonly attempts: number;
  readonly durationMs: number | undefined;
  readonly costUsd: number | undefined;
  readonly tokens: number | undefined;
  /** Further facts by their name. */
  readonly facts: Readonly<Record<string, string | undefined>>;
}

/** A field of one answer. */
export interface ComparedCell {
  /** JSON, or the text itself if it is prose. Undefined without a value. */
  readonly text: string | undefined;
  readonly kind: 'string' | 'number' | 'other' | 'prose';
  /** True if the value is not that of the first answer. */
  readonly isOther: boolean;
  /** The rule that the value broke. */
  readonly rule: string | undefined;
  /** Value of the first attempt, if it differs. */
  readonly before: string | undefined;
}

/** A field of all answers. */
export interface ComparedField {
  readonly name: string;
  readonly type: string;
  /** True if all answers have the same value. */
  readonly isSame: boolean;
  readonly cells: readonly ComparedCell[];
}

const WHOLE = 'value';

/** Returns the fields in the order of the schema, and then those that only answers have. */
export function fieldsOf(
  answers: readonly ComparedAnswer[],
  schema: DescribedSchema,
): readonly ComparedField[] {
  const members = membersOf(resolveSchema(schema, schema));
  const records = answers.map(({ value }) => asRecord(value));
  const isWhole = members.length === 0 && records.every((record) => record === undefined);
  if (isWhole) {
    const values = answers.map(({ value }) => value);
    return values.every((value) => value === undefined)
      ? []
      : [fieldOf(answers, WHOLE, describeType(schema), '')];
  }
  const types = new Map(members.map(({ name, schema: member }) => [name, describeType(member, schema)]));
  const names = new Set([...types.keys(), ...records.flatMap((record) => Object.keys(record ?? {}))]);
  return [...names].map((name) => fieldOf(answers, name, types.get(name) ?? '', `/${pointerKey(name)}`));
}

function fieldOf(
  answers: readonly ComparedAnswer[],
  name: string,
  type: string,
  pointer: string,
): ComparedField {
  const partOf = (value: unknown): unknown => (pointer === '' ? value : asRecord(value)?.[name]);
  const reference = jsonOf(answers.map(({ value }) => partOf(value)).find((part) => part !== undefined));
  const cells = answers.map(({ value, refused, issues, state }): ComparedCell => {
    const part = partOf(value);
    const text = jsonOf(part);
    const issue = state === 'failed' ? issues.find(({ path }) => isInside(path, pointer)) : undefined;
    const [first] = refused;
    const before = jsonOf(partOf(first));
    return {
      text: isProse(part) ? part : text,
      kind: kindOf(part),
      isOther: text !== undefined && text !== reference,
      rule: issue?.rule,
      before: first === undefined || before === text ? undefined : (before ?? 'missing'),
    };
  });
  const open = answers.some(({ state }) => state === 'open');
  const isSame =
    !open && cells.every(({ text, isOther, rule }) => text !== undefined && !isOther && rule === undefined);
  return { name, type, cells, isSame };
}

function isInside(path: string, pointer: string): boolean {
  return path === pointer || (pointer !== '' && path.startsWith(`${pointer}/`));
}

const MIN_PROSE_CHARS = 24;

/** Texts with several words are read, not compared letter by letter. */
function isProse(part: unknown): part is string {
  return typeof part === 'string' && part.length >= MIN_PROSE_CHARS && part.trim().split(/\s+/u).length > 3;
}

function kindOf(part: unknown): ComparedCell['kind'] {
  if (isProse(part)) return 'prose';
  if (typeof part === 'string') return 'string';
  return typeof part === 'number' || part instanceof ExactNumber ? 'number' : 'other';
}

/** Returns JSON with exact numbers and sorted keys. Undefined without a value. */
export function jsonOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value instanceof ExactNumber) return value.digits;
  if (Array.isArray(value)) return `[${value.map((each) => jsonOf(each) ?? 'null').join(', ')}]`;
  const record = asRecord(value);
  if (record === undefined) return JSON.stringify(value);
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}: ${jsonOf(record[key]) ?? 'null'}`);
  return `{${members.join(', ')}}`;
}

/** One sentence about the difference. One question proves nothing about a model. */
export function describeResult(answers: readonly ComparedAnswer[], fields: readonly ComparedField[]): string {
  const open = answers.filter(({ state }) => state === 'open').length;
  if (open > 0) return `${open} of ${answers.length} still answer.`;
  const valid = answers.filter(({ state }) => state === 'valid').length;
  if (valid === 0) return 'No answer is valid.';
  const differing = fields.filter(({ isSame }) => !isSame).length;
  const result =
    differing === 0 ? 'All fields are the same.' : `${differing} of ${fields.length} fields differ.`;
  return valid === answers.length ? result : `${valid} of ${answers.length} are valid. ${result}`;
}
