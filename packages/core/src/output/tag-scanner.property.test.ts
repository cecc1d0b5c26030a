import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { matrixRuns } from '../../../../test/matrix.ts';
import { anyText } from '../../../../test/any-text.ts';
import { z } from 'zod';
import type { AnyOutputDefinition } from './definition/definition.ts';
import { safeExtractOutput } from './extract-output.ts';
import { Output } from './output.ts';
import { createTagScanner, type TagScanner } from './tag-scanner.ts';
import { unwrapFence } from './scan/json-reader.ts';

const json = Output.json({ tag: 'r' });
const string = Output.string({ tag: 'r' });

/** Texts in which strings contain tags, some of which invalidate the candidate. */
const heldText = fc
  .array(
    fc.constantFrom('<r>', '</r>', '<r>{"a":"', '"', '"}', '[', ']', '\\', '\\u00', '1', ' ', '\n', 'x'),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Texts composed of the tokens that the rules cover. */
const mixedText = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('<r>', '</r>') },
      {
        weight: 3,
        arbitrary: fc.constantFrom(
          '"',
          '{',
          '}',
          '[',
          ']',
          ',',
          ':',
          '1',
          '{"a":1}',
          '"a":',
          '"x"',
          '\\',
          '\\"',
        ),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          ' ',
          '\n',
          '```',
          '```json\n',
          '\n```',
          'prose',
          '<',
          '</',
          '>',
          'r>',
          '<r',
          '</r',
          '<rr>',
        ),
      },
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

const tagText = fc.oneof(mixedText, heldText);

const outcomeOf = async (
  text: string,
  definition: typeof json | typeof string,
  cuts: readonly number[] = [],
  look: (scanner: TagScanner<unknown>) => unknown = () => undefined,
): Promise<unknown> => {
  const scanner: TagScanner<unknown> = createTagScanner<AnyOutputDefinition>(definition);
  const at = [
    0,
    ...cuts.map((cut) => (text.length === 0 ? 0 : cut % text.length)).sort((a, b) => a - b),
    text.length,
  ];
  at.slice(1).forEach((end, index) => {
    scanner.push(text.slice(at[index], end));
    look(scanner);
  });
  const result = await scanner.finish();
  return result.success
    ? {
        value: result.output,
        span: result.provenance.span,
        unclosed: result.provenance.unclosedTagAfterMatch,
      }
    : { code: result.error.code, rawMatched: result.error.rawMatched };
};

describe('a tag scanner', () => {
  it('gives the same answer for any slicing of a text', async () => {
    await fc.assert(
      fc.asyncProperty(tagText, fc.array(fc.nat(), { maxLength: 6 }), async (text, cuts) => {
        expect(await outcomeOf(text, json, cuts)).toEqual(await outcomeOf(text, json));
        expect(await outcomeOf(text, string, cuts)).toEqual(await outcomeOf(text, string));
      }),
      { numRuns: matrixRuns(500, 3_000) },
    );
  });

  it('agrees with a naive implementation of the rules', async () => {
    await fc.assert(
      fc.asyncProperty(tagText, async (text) => {
        const expected = oracle(text);
        expect(await outcomeOf(text, json)).toEqual(expected);
        // Unit by unit, with a preview at every step.
        const everywhere = Array.from({ length: text.length }, (_, index) => index);
        expect(await outcomeOf(text, json, everywhere, (scanner) => scanner.partial())).toEqual(expected);
      }),
      { numRuns: matrixRuns(250, 3_000) },
    );
  });

  it('never rejects and never throws, whatever the text', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyText(), tagText), async (text) => {
        for (const definition of [
          json,
          string,
          Output.choice({ tag: 'r', options: ['a', 'b'] }),
          Output.array({ tag: 'r', element: z.number() }),
        ]) {
          const result = await safeExtractOutput(text, definition);
          if (!result.success) expect(result.error.message).not.toContain('\n');
        }
      }),
      { numRuns: matrixRuns(200, 1_000) },
    );
  });

  it('round-trips any value, with tags in its strings and prose around it', async () => {
    const mention = fc.constantFrom('I answer in a <r> tag. ', 'See </r>. ', 'The `<r>…</r>` pair: ', '');
    const tagged = fc.oneof(
      fc.string(),
      fc.constantFrom('<r>', '</r>', '<r>{"a":1}', 'a</r>b<r>c', '"</r>', '\\</r>'),
    );
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        tagged,
        fc.array(tie('any')),
        fc.dictionary(tagged, tie('any')),
      ),
    })).any;
    const render = fc.constantFrom(
      (text: string) => text,
      (text: string) => `\n${text}\n`,
      (text: string) => `\`\`\`json\n${text}\n\`\`\``,
      (text: string) => `\`\`\`\`${text}\`\`\`\``,
    );
    await fc.assert(
      fc.asyncProperty(
        mention,
        value,
        render,
        fc.constantFrom(0, 2),
        async (prose, original, wrap, indent) => {
          // A string can contain a complete value. The rules then take the inner one, so the round
          // trip does not apply.
          fc.pre(!innerValue(JSON.stringify(original, null, indent)));
          fc.pre(!JSON.stringify(original).includes('__proto__'));
          const text = `${prose}<r>${wrap(JSON.stringify(original, null, indent))}</r>`;
          const result = await safeExtractOutput(text, json);
          expect(result).toMatchObject({ success: true });
          if (result.success) expect(JSON.stringify(result.output)).toBe(JSON.stringify(original));
        },
      ),
      { numRuns: matrixRuns(350, 2_000) },
    );
  });
});

/** Returns true if some `<r>…</r>` inside the text contains JSON itself. */
function innerValue(text: string): boolean {
  for (let open = text.indexOf('<r>'); open !== -1; open = text.indexOf('<r>', open + 1)) {
    for (let close = text.indexOf('</r>', open); close !== -1; close = text.indexOf('</r>', close + 1)) {
      if (isJson(text.slice(open + 3, close))) return true;
    }
  }
  return false;
}

/** Answers of `isJson`. Most texts of a run recur, and a refusal is an expensive exception. */
const known = new Map<string, boolean>();

function isJson(text: string): boolean {
  let answer = known.get(text);
  if (answer === undefined) known.set(text, (answer = isJsonAnew(text)));
  return answer;
}

function isJsonAnew(text: string): boolean {
  try {
    JSON.parse(unwrapFence(text));
    return true;
  } catch {
    return false;
  }
}

/** A fence, or its beginning after white space. Backticks next to the tag close a mention. */
const OPENED_FENCE = /^(?:\s*`{3,}(?:j|js|jso|json\s*|\s+)|\s+`+)$/iu;

type ReaderState = 'none' | 'live' | 'in-string' | 'complete' | 'dead';

/**
 * Returns the state of a strict JSON reader over `text`, by trying possible continuations. Slow,
 * and independent of the scanner's reader.
 */
function stateOf(text: string): ReaderState {
  if (isJson(text)) return 'complete';
  if (/^\s*$/u.test(text) || /^\s*(?:`{1,2}|`{3,}(?:j|js|jso|json)?)\s*$/iu.test(text)) return 'none';
  const inString = stringTails.some((tail) => canBecomeJson(text + tail));
  // A text is inside a string if only a quote can end it.
  if (inString && !canBecomeJson(`${text} ,`) && isInsideString(text)) return 'in-string';
  return completions.some((tail) => canBecomeJson(text + tail)) || inString ? 'live' : 'dead';
}

const stringTails = ['"', 'x"', '\\"', 'n"', 'u0041"', '0041"'];
const completions = [
  '',
  '1',
  '"k":1',
  'rue',
  'alse',
  'ull',
  'ue',
  'lse',
  'll',
  'e',
  'se',
  'l',
  '0',
  ':1',
  ',1',
  '":1',
];

/** Counts quotes outside of escapes, from the first character of the value. */
function isInsideString(text: string): boolean {
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    if (inside && text[at] === '\\') at += 1;
    else if (text[at] === '"') inside = !inside;
  }
  return inside;
}

function canBecomeJson(text: string): boolean {
  const fence = /^\s*(`{3,})/u.exec(text)?.[1] ?? '';
  const open: string[] = [];
  let inside = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (inside && char === '\\') at += 1;
    else if (char === '"') inside = !inside;
    else if (!inside && (char === '{' || char === '[')) open.push(char === '{' ? '}' : ']');
    else if (!inside && (char === '}' || char === ']') && open.pop() !== char) return false;
  }
  const closing = open.reverse().join('');
  const bodies = [text, `${text}1`, `${text}:1`, `${text}"k":1`, `${text},"k":1`].map(
    (body) => body + closing,
  );
  return bodies.flatMap((body) => [body, body + fence, `${body}\``, `${body}\`\``]).some(isJson);
}

interface OracleOpening {
  readonly at: number;
}

/**
 * Literal implementation of the matching rules: every opening, every closing, every state from
 * scratch.
 */
function oracle(text: string): unknown {
  let openings: OracleOpening[] = [];
  let held: number[] = [];
  let match: { start: number; end: number } | undefined;
  const contentStart = ({ at }: OracleOpening): number => at + 3;
  const sealAt = (opening: OracleOpening, end: number): void => {
    match = { start: contentStart(opening), end };
    openings = openings.filter(({ at }) => at > end);
    held = held.filter((position) => position > end);
  };
  /** Seals held closings whose candidates were invalidated by `now`. */
  const settle = (now: number, isEnd: boolean): void => {
    for (let [first] = held; first !== undefined; [first] = held) {
      const position = first;
      const before = openings.filter(({ at }) => at < position);
      const alive = before.some((opening) =>
        ['live', 'in-string', 'complete'].includes(stateOf(text.slice(contentStart(opening), now))),
      );
      if (alive && !isEnd) return;
      const latest = before.at(-1);
      if (latest === undefined) held = held.slice(1);
      else sealAt(latest, position);
    }
  };
  for (let at = 0; at < text.length; at += 1) {
    settle(at, false);
    if (text.startsWith('<r>', at)) {
      openings.push({ at });
      at += 2;
    } else if (text.startsWith('</r>', at)) {
      const states = openings.map((opening) => ({
        opening,
        state: stateOf(text.slice(contentStart(opening), at)),
      }));
      const complete = states.find(({ state }) => state === 'complete');
      const latest = openings.at(-1);
      if (complete !== undefined) sealAt(complete.opening, at);
      else if (states.some(({ state }) => state === 'in-string')) held.push(at);
      else if (latest !== undefined) sealAt(latest, at);
      at += 3;
    }
  }
  settle(text.length, false);
  settle(text.length, true);
  const begun = openings.some((opening) => {
    const content = text.slice(contentStart(opening));
    return ['live', 'in-string', 'complete'].includes(stateOf(content)) || OPENED_FENCE.test(content);
  });
  const latest = openings.at(-1);
  if (begun && latest !== undefined) {
    return { code: 'truncated', rawMatched: text.slice(contentStart(latest)) };
  }
  if (match === undefined) return { code: 'tag-not-found', rawMatched: undefined };
  const raw = text.slice(match.start, match.end);
  if (!isJson(raw)) return { code: 'invalid-json', rawMatched: raw };
  return {
    value: JSON.parse(unwrapFence(raw)) as unknown,
    span: match,
    unclosed: latest === undefined ? undefined : true,
  };
}
