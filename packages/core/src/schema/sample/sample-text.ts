/** Generates a text for a JSON Schema: its format, its pattern and its length. Pure. */
import { samplePattern } from './sample-pattern.ts';

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
