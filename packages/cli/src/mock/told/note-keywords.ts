/** Keywords of the comment beside a told type. Pure. */
import { parseJson } from '@truecast/core/internal/json/parse-json';

type Keywords = Readonly<Record<string, unknown>>;

/** What a clause says, and the type of the values that it is about. */
interface Clause {
  readonly type?: string;
  readonly keywords: Keywords;
}

const NUMBER = String.raw`(-?[\d.]+(?:e[+-]?\d+)?)`;
const RANGE = new RegExp(
  `^(?:${NUMBER} to ${NUMBER}|(at least|at most|exactly) ${NUMBER})(?: (characters|items|keys))?$`,
  'u',
);
const PLAIN: Readonly<Record<string, Clause>> = {
  'whole number': { type: 'number', keywords: { type: 'integer' } },
  'no two equal': { type: 'array', keywords: { uniqueItems: true } },
  'date YYYY-MM-DD': { type: 'string', keywords: { format: 'date' } },
  'time YYYY-MM-DDTHH:MM:SSZ': { type: 'string', keywords: { format: 'date-time' } },
  'time HH:MM:SSZ': { type: 'string', keywords: { format: 'time' } },
  URL: { type: 'string', keywords: { format: 'uri' } },
  UUID: { type: 'string', keywords: { format: 'uuid' } },
  email: { type: 'string', keywords: { format: 'email' } },
  IPv4: { type: 'string', keywords: { format: 'ipv4' } },
  IPv6: { type: 'string', keywords: { format: 'ipv6' } },
};
const UNITS: Readonly<Record<string, readonly [type: string, word: string]>> = {
  characters: ['string', 'Length'],
  items: ['array', 'Items'],
  keys: ['object', 'Properties'],
};

/** A clause ends at a semicolon, outside of a pattern and of JSON. */
const CLAUSE = /fits the JSON Schema \{.*\}|(?:`[^`]*`|[^;`]|;(?! ))+/gu;

/** Adds the rules in a comment to the schema of its type. A description adds nothing. */
export function withNote(schema: Keywords, note: string): Keywords {
  return (note.match(CLAUSE) ?? []).reduce((told, text) => {
    const clause = clauseOf(text.trim());
    return clause === undefined ? told : withClause(told, clause);
  }, schema);
}

/** Of alternatives, the one of the right type gets the keywords. */
function withClause(schema: Keywords, clause: Clause): Keywords {
  const { anyOf } = schema;
  if (!Array.isArray(anyOf)) return { ...schema, ...clause.keywords };
  const parts = anyOf as readonly Keywords[];
  return {
    ...schema,
    anyOf: parts.map((part) => (part['type'] === clause.type ? { ...part, ...clause.keywords } : part)),
  };
}

function clauseOf(text: string): Clause | undefined {
  if (Object.hasOwn(PLAIN, text)) return PLAIN[text];
  const [, pattern] = /^matches `(.*)`$/u.exec(text) ?? [];
  if (pattern !== undefined) return { type: 'string', keywords: { pattern } };
  const [, which, limit] = new RegExp(`^(more|less) than ${NUMBER}$`, 'u').exec(text) ?? [];
  if (limit !== undefined) {
    return {
      type: 'number',
      keywords: { [which === 'more' ? 'exclusiveMinimum' : 'exclusiveMaximum']: Number(limit) },
    };
  }
  const [, multiple] = new RegExp(`^multiple of ${NUMBER}$`, 'u').exec(text) ?? [];
  if (multiple !== undefined) return { type: 'number', keywords: { multipleOf: Number(multiple) } };
  const [, json] = /^fits the JSON Schema (.*)$/u.exec(text) ?? [];
  const parsed = json === undefined ? undefined : parseJson(json);
  if (parsed?.success === true) return { keywords: { allOf: [parsed.value] } };
  return rangeOf(text);
}

function rangeOf(text: string): Clause | undefined {
  const match = RANGE.exec(text);
  if (match === null) return undefined;
  const [, from, to, word, one, unit] = match;
  const [type = 'number', noun = 'imum'] = UNITS[unit ?? ''] ?? [];
  const least = from ?? (word === 'at most' ? undefined : one);
  const most = to ?? (word === 'at least' ? undefined : one);
  return {
    type,
    keywords: {
      ...(least !== undefined && { [`min${noun}`]: Number(least) }),
      ...(most !== undefined && { [`max${noun}`]: Number(most) }),
    },
  };
}
