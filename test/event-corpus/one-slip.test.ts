/**
 * Property test of the parser on generated input: JSON in which one structural character was
 * removed or doubled.
 */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parseAgentOutput } from '../../packages/ensemble/src/index.ts';

const GRANT = { allowedKinds: ['agent.spoke', 'world.observed'], fallbackKind: 'agent.spoke' } as const;
const TEXTS = [
  'The lamp hums.',
  'She said "go", and left.',
  `It's 5 feet tall: {really}?`,
  'A, b: c; "d": e',
  'Two\nlines',
  'He typed [1, 2] and "x"',
];
const EXTRAS = [{}, { mood: 'calm' }, { scores: { ada: 1.5 } }, { tags: ['a', 'b'] }];

const EVENTS = TEXTS.flatMap((text) =>
  EXTRAS.flatMap((extra) => [
    { kind: 'world.observed', text, ...extra },
    { ...extra, text, kind: 'world.observed' },
  ]),
);

/** Returns the JSON with each structural character removed, and with each doubled. */
function slips(json: string): string[] {
  return structuralPositions(json).flatMap((at) => [
    json.slice(0, at) + json.slice(at + 1),
    json.slice(0, at) + json.charAt(at) + json.slice(at),
  ]);
}

/**
 * Positions of quotes, braces, brackets, commas and colons that belong to JSON, not to its strings.
 */
function structuralPositions(json: string): number[] {
  const positions: number[] = [];
  let isInside = false;
  for (let at = 0; at < json.length; at += 1) {
    const char = json.charAt(at);
    if (isInside && char === '\\') at += 1;
    else if (char === '"' || (!isInside && '{}[],:'.includes(char))) positions.push(at);
    if (char === '"') isInside = !isInside;
  }
  return positions;
}

describe.each(EVENTS)('one slip in $text, $kind', (event) => {
  it.each([
    ['alone', (json: string) => json],
    ['in prose', (json: string) => `Sure: ${json}\nBye.`],
  ])('gives the event or none, %s', (_, render) => {
    const wrong = [0, 2]
      .flatMap((indent) => slips(JSON.stringify(event, undefined, indent)))
      .map((slip) => ({ slip, ...parseAgentOutput(render(slip), GRANT) }))
      .filter(({ payload, tier }) =>
        tier === 'raw' ? payload.text !== '' : !isDeepStrictEqual(payload, event),
      )
      .map(({ slip, payload, tier }) => `${slip} gave ${JSON.stringify(payload)} (${tier})`);
    expect(wrong).toEqual([]);
  });
});
