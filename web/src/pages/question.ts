/** Question with the schema of its answer: the draft of the form, kept for the session. */
import { parseSchema } from '../value/describe-schema.ts';

/** Contents of the form. */
export interface Question {
  readonly message: string;
  readonly name: string;
  readonly schemaText: string;
}

const KEY = 'truecast-question';

const BUG = {
  type: 'object',
  properties: {
    file: { type: 'string', description: 'src/loop.ts' },
    line: { type: 'integer', minimum: 1 },
    why: { type: 'string', description: 'The loop runs once too often.' },
  },
  required: ['file', 'line', 'why'],
  additionalProperties: false,
};

/** The example of an empty form. */
const EXAMPLE: Question = {
  message: 'Which file has the bug, and where?',
  name: 'bug',
  schemaText: JSON.stringify(BUG, undefined, 2),
};

/** Returns the kept draft, or the example. */
export function readQuestion(): Question {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return EXAMPLE;
    const text = (key: keyof Question): string => {
      const value: unknown = Reflect.get(kept, key);
      return typeof value === 'string' ? value : EXAMPLE[key];
    };
    return { message: text('message'), name: text('name'), schemaText: text('schemaText') };
  } catch {
    return EXAMPLE;
  }
}

/** Keeps a draft for this session. */
export function keepQuestion(question: Question): void {
  sessionStorage.setItem(KEY, JSON.stringify(question));
}

/** Problem of a schema's text before it is sent. Undefined if it is an object in JSON. */
export function schemaProblem(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? undefined : 'Expected a JSON Schema: an object such as {"type": "object"}.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the response format of a question. */
export function formatOf({ name, schemaText }: Question): {
  readonly type: 'json_schema';
  readonly json_schema: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
} {
  return { type: 'json_schema', json_schema: { name, schema: parseSchema(schemaText) } };
}
