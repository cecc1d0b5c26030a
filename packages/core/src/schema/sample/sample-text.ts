/** Generates a text for a JSON Schema: its format, its pattern and its length. Pure. */
import { parsePattern } from '../pattern/parse-pattern.ts';
import type { CodeSet } from '../pattern/code-set.ts';
import type { PatternNode } from '../pattern/pattern-node.ts';

const FORMATS: Readonly<Record<string, string>> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  time: '12:00:00Z',
  duration: 'P1D',
  email: 'someone@example.com',
  'idn-email': 'someone@example.com',
  hostname: 'example.com',
  'idn-hostname': 'example.com',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
  uri: 'https://example.com/',
  'uri-reference': '/',
  'uri-template': '/{id}',
  iri: 'https://example.com/',
  'iri-reference': '/',
  uuid: '00000000-0000-4000-8000-000000000000',
  'json-pointer': '/a',
  'relative-json-pointer': '0',
  regex: 'a',
};
const MAX_TEXT_CHARS = 10_000;
const WORD = 'sample';

/** Returns a text. `variant` above 0 makes it different, for lists of unique items. */
export function sampleText(schema: Readonly<Record<string, unknown>>, variant: number): string {
  const { format, pattern, minLength: min, maxLength: max } = schema;
  const minLength = Math.min(typeof min === 'number' ? min : 0, MAX_TEXT_CHARS);
  const stated =
    (typeof pattern === 'string' ? samplePattern(pattern, minLength) : undefined) ??
    (typeof format === 'string' ? FORMATS[format] : undefined);
  if (stated !== undefined) return stated;
  const word = variant === 0 ? WORD : `${WORD} ${variant}`;
  const text = word.padEnd(minLength, '.');
  // The end has the variant's number.
  return typeof max === 'number' && text.length > max ? text.slice(text.length - max) : text;
}

const MAX_CHARS = 10_000;
/** Letters and digits first: a reader expects them. */
const CANDIDATES: readonly number[] = [
  ...Array.from('aA0_- ./:@').map((character) => character.charCodeAt(0)),
  ...Array.from({ length: 0x250 }, (_, code) => code),
];

/**
 * Returns a text, or undefined for an invalid pattern. Lookarounds and references are skipped, so the caller
 * validates the text.
 */
function samplePattern(source: string, minLength: number): string | undefined {
  try {
    const { root } = parsePattern(source);
    const text = textOf(root, 0);
    // Repetitions without a limit can take the missing characters.
    return text.length >= minLength ? text : textOf(root, minLength - text.length);
  } catch {
    return undefined;
  }
}

/** @param extra - characters that the first unlimited repetition adds */
function textOf(node: PatternNode, extra: number): string {
  switch (node.type) {
    case 'set':
      return String.fromCodePoint(memberOf(node.set));
    case 'sequence':
      return sequenceText(node.parts, extra);
    case 'choice':
      return node.options[0] === undefined ? '' : textOf(node.options[0], extra);
    case 'group':
      return textOf(node.body, extra);
    case 'repeat':
      return repeatedText(node, extra);
    // Assertions, lookarounds and references.
    default:
      return '';
  }
}

/** The first parts that can take extra characters take them. */
function sequenceText(parts: readonly PatternNode[], extra: number): string {
  let left = extra;
  const texts = parts.map((part) => {
    const short = textOf(part, 0);
    const long = left === 0 ? short : textOf(part, left);
    left = Math.max(0, left - (long.length - short.length));
    return long;
  });
  return texts.join('');
}

function repeatedText({ body, min, max }: PatternNode & { readonly type: 'repeat' }, extra: number): string {
  const one = textOf(body, 0);
  const length = Math.max(1, one.length);
  return one.repeat(Math.min(min + Math.ceil(extra / length), max, Math.ceil(MAX_CHARS / length)));
}

function memberOf(set: CodeSet): number {
  return set.only >= 0 ? set.only : (CANDIDATES.find((code) => set.has(code)) ?? 0x4e_00);
}
