/** Watches `JSON.parse`: whether a text with very many members was parsed. */

/** Members of the wide answer: more than any route accepts. */
const MEMBERS = 110_000;
/** Only the unescaped beginning of the answer itself has these characters. */
const BEGINNING = '"k0":1,"k1":1';

/** An object of 110,000 members as JSON. `first` are members before them. */
export function wideAnswer(first = '"answer":1'): string {
  return `{${first},${Array.from({ length: MEMBERS }, (_, index) => `"k${index}":1`).join(',')}}`;
}

/** Parses of the wide answer while `play` runs. */
export async function countParses(play: () => Promise<void>): Promise<number> {
  const { parse } = JSON;
  let count = 0;
  JSON.parse = (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown): unknown => {
    if (text.includes(BEGINNING)) count += 1;
    return parse(text, reviver);
  };
  try {
    await play();
  } finally {
    JSON.parse = parse;
  }
  return count;
}

/** Option of Node that makes a process print `WIDE PARSE` when it parses the answer. */
export const PRINTS_PARSES: string = `--import=data:text/javascript,${encodeURIComponent(
  `const { parse } = JSON; JSON.parse = (text, reviver) => { if (String(text).includes('${BEGINNING}')) console.error('WIDE PARSE'); return parse(text, reviver); };`,
)}`;
