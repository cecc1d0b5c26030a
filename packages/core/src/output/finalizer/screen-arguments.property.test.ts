import fc from 'fast-check';
import { expect, it } from 'vitest';
import { memberText } from '../../json/text/member-text.ts';
import { contentOf, type JudgeRules } from '../judge/judged.ts';
import { isRefusal, readWritten } from '../judge/read-text.ts';
import { DEFAULT_FINALIZER_LIMITS, screenArguments } from './screen-arguments.ts';

/** Any code unit or code point. The unit `binary` first makes a table of a million, in a second. */
const CHARACTER = fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));
const RULES: JudgeRules = { screen: (args) => screenArguments(args, DEFAULT_FINALIZER_LIMITS) };

it('takes every JSON value, and finds its text whatever its spacing', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: CHARACTER }), fc.constantFrom(0, 1, 3), (value, space) => {
      const known: unknown = JSON.parse(JSON.stringify(value));
      const text = JSON.stringify({ output: value }, undefined, space);
      const read = readWritten(text, RULES, true);
      if (isRefusal(read)) {
        expect(read.reason).toMatch(/NUL|surrogate|prototype|deeper/u);
        return;
      }
      const content = contentOf(read);
      expect(content?.value).toEqual(known);
      expect(JSON.parse(content?.text ?? '')).toEqual(known);
    }),
  );
});

it('never throws, whatever the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      expect(readWritten(text, RULES, true)).toBeDefined();
    }),
  );
});

it('finds a member where parsing finds it, the last one of doubled keys', () => {
  const key = fc.constantFrom('a', 'b', 'params', 'arguments');
  const tree = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.integer().map(String),
      fc.array(tie('node'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
      fc
        .array(fc.tuple(key, tie('node')), { maxLength: 4 })
        .map((members) => `{${members.map(([name, node]) => `"${name}" : ${node}`).join(', ')}}`),
    ),
  })).node;
  fc.assert(
    fc.property(tree, (text) => {
      const member = parsedMember(JSON.parse(text), ['params', 'arguments']);
      const found = memberText(text, ['params', 'arguments']);
      // A duplicate key on the path can hide the member, if the last duplicate does not have it.
      if (member !== undefined) expect(found === undefined ? undefined : JSON.parse(found)).toEqual(member);
    }),
  );
});

function parsedMember(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, key)) {
      return undefined;
    }
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}
