/** Tokenizer of TypeScript types: names, literals, signs, and doc comments. Pure. */

export interface PastedToken {
  readonly kind: 'name' | 'string' | 'number' | 'doc' | 'sign' | 'end';
  /** The name, the sign, the value of a string, or the text of a comment. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** A text that is not a supported type, with the line of the first problem. */
export class TypeProblem extends SyntaxError {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

const TOKEN =
  /(?<space>\s+|\/\/[^\n]*|\/\*(?!\*)[\s\S]*?\*\/|\/\*\*\/)|\/\*\*(?<doc>[\s\S]*?)\*\/|(?<name>[\p{ID_Start}$_][\p{ID_Continue}$]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?<sign>[{}[\]()<>|&?:;,=.])/uy;

/** Splits a text into tokens, with one of kind `end`. @throws TypeProblem */
export function pastedTokens(text: string): readonly PastedToken[] {
  const tokens: PastedToken[] = [];
  let line = 1;
  for (let at = 0; at < text.length;) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(text)?.groups;
    if (groups === undefined) throw new TypeProblem(`Unexpected \`${text[at] ?? ''}\`.`, line);
    const token = tokenOf(groups, line);
    if (token !== undefined) tokens.push(token);
    line += text.slice(at, TOKEN.lastIndex).split('\n').length - 1;
    at = TOKEN.lastIndex;
  }
  return [...tokens, { kind: 'end', text: 'the end', line }];
}

function tokenOf(
  groups: Readonly<Record<string, string | undefined>>,
  line: number,
): PastedToken | undefined {
  const { doc, name, string, number, sign } = groups;
  if (doc !== undefined) return { kind: 'doc', text: doc, line };
  if (name !== undefined) return { kind: 'name', text: name, line };
  if (string !== undefined) return { kind: 'string', text: unquote(string), line };
  if (number !== undefined) return { kind: 'number', text: number, line };
  return sign === undefined ? undefined : { kind: 'sign', text: sign, line };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

function unquote(quoted: string): string {
  return quoted
    .slice(1, -1)
    .replaceAll(/\\(?:u([\da-fA-F]{4})|(.))/gu, (_all, code: string | undefined, sign: string | undefined) =>
      code === undefined
        ? (ESCAPES[sign ?? ''] ?? sign ?? '')
        : String.fromCharCode(Number.parseInt(code, 16)),
    );
}
