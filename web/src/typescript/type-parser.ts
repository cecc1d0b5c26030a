/** Parser of TypeScript types as JSON Schemas: declarations, objects, lists, unions and literals. Pure. */
import type { DescribedSchema } from '../json/describe-schema.ts';
import { docRules } from './doc-rules.ts';
import { pastedTokens, TypeProblem, type PastedToken } from './type-tokens.ts';
import { jsonUnionOf } from './union-of.ts';

export interface Declaration {
  readonly name: string;
  readonly schema: DescribedSchema;
}

const PRIMITIVES: Readonly<Record<string, DescribedSchema>> = {
  string: { type: 'string' },
  number: { type: 'number' },
  bigint: { type: 'integer' },
  boolean: { type: 'boolean' },
  null: { type: 'null' },
  true: { const: true },
  false: { const: false },
  Date: { type: 'string', format: 'date-time' },
  unknown: {},
  any: {},
  object: { type: 'object' },
};
/** Marks a member that can be absent. It never leaves the parser. */
const ABSENT: DescribedSchema = { not: {} };
const MODIFIERS: ReadonlySet<string> = new Set(['export', 'declare', 'default']);

/** Parses the declarations of a text, or one type without a name. @throws TypeProblem */
export function parseTypes(text: string): readonly Declaration[] {
  return new TypeParser(pastedTokens(text)).declarations();
}

class TypeParser {
  readonly #tokens: readonly PastedToken[];
  #at = 0;

  constructor(tokens: readonly PastedToken[]) {
    this.#tokens = tokens;
  }

  declarations(): readonly Declaration[] {
    const found: Declaration[] = [];
    for (;;) {
      const doc = this.#doc();
      while (MODIFIERS.has(this.#peek().text)) this.#next();
      const { kind, text } = this.#peek();
      if (kind === 'end') return found;
      if (kind === 'name' && (text === 'interface' || text === 'type')) found.push(this.#declaration(doc));
      else found.push({ name: '', schema: { ...this.#type(), ...doc } });
      while (this.#skip(';'));
    }
  }

  #declaration(doc: DescribedSchema): Declaration {
    const isInterface = this.#next().text === 'interface';
    const name = this.#name();
    if (this.#peek().text === '<') throw this.#unsupported('A type with parameters');
    if (this.#peek().text === 'extends') throw this.#unsupported('`extends`');
    if (!isInterface) this.#expect('=');
    return { name, schema: { ...(isInterface ? this.#object() : this.#type()), ...doc } };
  }

  #type(): DescribedSchema {
    this.#skip('|');
    const options = [this.#list()];
    while (this.#skip('|')) options.push(this.#list());
    if (this.#peek().text === '&') throw this.#unsupported('`&`');
    return jsonUnionOf(options);
  }

  #list(): DescribedSchema {
    if (this.#peek().text === 'readonly') this.#next();
    let schema = this.#primary();
    while (this.#skip('[')) {
      this.#expect(']');
      schema = { type: 'array', items: schema };
    }
    return schema;
  }

  #primary(): DescribedSchema {
    const token = this.#peek();
    const { kind, text } = token;
    if (kind === 'sign' && text === '{') return this.#object();
    this.#next();
    if (kind === 'string') return { const: text };
    if (kind === 'number') return { const: Number(text) };
    if (kind === 'name') return this.#named(text);
    if (kind === 'sign' && text === '(') {
      const schema = this.#type();
      this.#expect(')');
      return schema;
    }
    throw new TypeProblem(`Expected a type, got \`${text}\`.`, token.line);
  }

  #named(name: string): DescribedSchema {
    if (name === 'undefined') return ABSENT;
    if (Object.hasOwn(PRIMITIVES, name)) return PRIMITIVES[name] ?? {};
    if (!this.#skip('<')) return { $ref: `#/$defs/${name}` };
    const [first = {}, second = {}] = this.#arguments();
    if (name === 'Array' || name === 'ReadonlyArray') return { type: 'array', items: first };
    if (name === 'Readonly') return first;
    if (name === 'Record') return { type: 'object', additionalProperties: second };
    throw this.#unsupported(`\`${name}<…>\``);
  }

  #arguments(): readonly DescribedSchema[] {
    const found = [this.#type()];
    while (this.#skip(',')) found.push(this.#type());
    this.#expect('>');
    return found;
  }

  #object(): DescribedSchema {
    this.#expect('{');
    const properties: [string, DescribedSchema][] = [];
    const required: string[] = [];
    let rest: DescribedSchema | false = false;
    for (;;) {
      const doc = this.#doc();
      if (this.#skip('}')) break;
      if (this.#peek().text === 'readonly' && this.#peek(1).text !== ':') this.#next();
      if (this.#skip('[')) {
        rest = this.#index();
      } else {
        const name = this.#name();
        const isOptional = this.#skip('?');
        this.#expect(':');
        const { schema, canBeAbsent } = withoutAbsent(this.#type());
        properties.push([name, { ...schema, ...doc }]);
        if (!isOptional && !canBeAbsent) required.push(name);
      }
      while (this.#skip(';') || this.#skip(','));
    }
    return {
      type: 'object',
      properties: Object.fromEntries(properties),
      required,
      additionalProperties: rest,
    };
  }

  /** Type of all other members, after `[`. */
  #index(): DescribedSchema {
    this.#name();
    this.#expect(':');
    this.#type();
    this.#expect(']');
    this.#expect(':');
    return this.#type();
  }

  #doc(): DescribedSchema {
    let doc: DescribedSchema = {};
    while (this.#peek().kind === 'doc') doc = docRules(this.#next().text);
    return doc;
  }

  #peek(ahead = 0): PastedToken {
    const token = this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)];
    if (token === undefined) throw new TypeError('Expected a last token.');
    return token;
  }

  #next(): PastedToken {
    const token = this.#peek();
    this.#at += 1;
    return token;
  }

  #skip(sign: string): boolean {
    const { kind, text } = this.#peek();
    if (kind !== 'sign' || text !== sign) return false;
    this.#at += 1;
    return true;
  }

  #expect(sign: string): void {
    const { text, line } = this.#peek();
    if (!this.#skip(sign)) throw new TypeProblem(`Expected \`${sign}\`, got \`${text}\`.`, line);
  }

  #name(): string {
    const { kind, text, line } = this.#next();
    if (kind === 'name' || kind === 'string' || kind === 'number') return text;
    throw new TypeProblem(`Expected a name, got \`${text}\`.`, line);
  }

  #unsupported(what: string): TypeProblem {
    return new TypeProblem(`${what} is not supported. Write the members out.`, this.#peek().line);
  }
}

function withoutAbsent(schema: DescribedSchema): {
  readonly schema: DescribedSchema;
  readonly canBeAbsent: boolean;
} {
  const { anyOf } = schema;
  const options: readonly unknown[] = Array.isArray(anyOf) ? anyOf : [];
  if (!options.includes(ABSENT)) return { schema, canBeAbsent: schema === ABSENT };
  const rest = options.filter((each): each is DescribedSchema => each !== ABSENT);
  return { schema: jsonUnionOf(rest), canBeAbsent: true };
}
