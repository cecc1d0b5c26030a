/**
 * Named HTML entities of Markdown. Replaces the decoder of `markdown-to-jsx` for browsers, which
 * writes `innerHTML`: the policy of the console forbids that.
 */
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
    nbsp: ' ',
    copy: '©',
    reg: '®',
    trade: '™',
    hellip: '…',
    ndash: '–',
    mdash: '—',
    lsquo: '‘',
    rsquo: '’',
    ldquo: '“',
    rdquo: '”',
    laquo: '«',
    raquo: '»',
    bull: '•',
    middot: '·',
    sect: '§',
    para: '¶',
    deg: '°',
    plusmn: '±',
    times: '×',
    divide: '÷',
    ne: '≠',
    le: '≤',
    ge: '≥',
    larr: '←',
    uarr: '↑',
    rarr: '→',
    darr: '↓',
    euro: '€',
    pound: '£',
    yen: '¥',
  }),
);

/** Returns the character of an entity. Undefined for an unknown name, which stays as it was written. */
export function decodeEntity(name: string): string | undefined {
  return NAMED.get(name);
}
