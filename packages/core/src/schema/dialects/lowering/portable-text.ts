/**
 * Portable text: the pattern, the format and the lengths of a string in the form that every engine keeps.
 * Pure.
 */
import { portablePattern, type PortablePattern } from '../../pattern/portable/portable-pattern.ts';
import type { TurnBounds } from '../../pattern/portable/bounded-form.ts';
import { FORMAT_PATTERNS, FORMAT_TURNS } from '../profiles/format-patterns.ts';
import type { SchemaObject, SchemaPath } from '../analysis/schema-place.ts';
import type { LoweringPort } from './lowering-port.ts';

/** Keywords of strings that depend on each other. */
export const TEXT_KEYWORDS: ReadonlySet<string> = new Set(['pattern', 'format', 'minLength', 'maxLength']);

/** More repetitions are refused, or end an older engine. */
const MAX_LENGTH = 2_000;

/** Keywords to send. */
export interface PortableText {
  readonly sent: SchemaObject;
  /** Keywords that no engine holds. */
  readonly lost: ReadonlyMap<string, string>;
}

/** Returns what can be sent of the keywords of a string. */
export function portableText(schema: SchemaObject, path: SchemaPath, port: LoweringPort): PortableText {
  const { pattern, format } = schema;
  const lengths = { min: lengthIn(schema, 'minLength') ?? 0, max: lengthIn(schema, 'maxLength') ?? Infinity };
  const ofFormat = typeof format === 'string' ? FORMAT_PATTERNS.get(format) : undefined;
  const turns = typeof format === 'string' ? FORMAT_TURNS.get(format) : undefined;
  const own = typeof pattern === 'string' ? print(pattern, lengths, port, turns) : undefined;
  const isOwn = own?.pattern !== undefined;
  const printed = isOwn || ofFormat === undefined ? own : print(ofFormat, lengths, port);
  const lost = new Map<string, string>();
  if (pattern !== undefined && own === undefined) {
    lost.set(
      'pattern',
      'no engine for local models keeps it: it is too large, or only holds characters that JSON escapes',
    );
  } else if (own?.isBounded === true) {
    port.change([...path, 'pattern'], 'pattern', 'the same with an end of each repeat, as the format has it');
  }
  if (own?.isExact === false) lost.set('pattern', 'only a wider pattern is enforced');
  if (format !== undefined && ofFormat === undefined) lost.set('format', 'the provider does not enforce it');
  else if (format !== undefined && isOwn) {
    port.change([...path, 'format'], 'format', 'the `pattern` beside it');
  } else if (format !== undefined) port.change([...path, 'format'], 'format', 'a `pattern`');
  const bounds = printed?.pattern === undefined ? sentLengths(schema, printed, lost) : {};
  if (printed?.pattern !== undefined && !printed.holdsLengths) {
    for (const keyword of ['minLength', 'maxLength']) {
      if (lengthIn(schema, keyword) !== undefined) lost.set(keyword, 'no engine keeps it beside a `pattern`');
    }
  }
  return {
    sent: { ...(printed?.pattern !== undefined && { pattern: printed.pattern }), ...bounds },
    lost,
  };
}

function print(
  source: string,
  lengths: { readonly min: number; readonly max: number },
  { work }: LoweringPort,
  turns?: TurnBounds,
): PortablePattern | undefined {
  work.spend(4 * source.length);
  try {
    return portablePattern(source, lengths, turns);
  } catch (error) {
    // A tool of others can have a pattern in another syntax.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function sentLengths(
  schema: SchemaObject,
  printed: PortablePattern | undefined,
  lost: Map<string, string>,
): SchemaObject {
  const bounds: Record<string, number> = {};
  for (const keyword of ['minLength', 'maxLength'] as const) {
    const length = printed === undefined ? lengthIn(schema, keyword) : printed[keyword];
    if (length !== undefined && length <= MAX_LENGTH) bounds[keyword] = length;
    else if (lengthIn(schema, keyword) !== undefined) {
      lost.set(keyword, `more than ${MAX_LENGTH} characters are not counted`);
    }
  }
  return bounds;
}

function lengthIn(schema: SchemaObject, keyword: string): number | undefined {
  const length = schema[keyword];
  return typeof length === 'number' ? length : undefined;
}
