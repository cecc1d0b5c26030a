/** Question with an answer schema: the draft of the form, kept for the session. */
import type { CreateChatBody, DynamicTool } from '@truecast/client/internal/wire/chat';
import type { FilePart } from '@truecast/client/internal/wire/message-parts';
import type { RequestLimitsBody } from '@truecast/client/internal/wire/response-format';
import { parseSchema } from '../json/describe-schema.ts';
import { EXAMPLES } from './examples.ts';

/** Contents of the form. */
export interface Question {
  readonly message: string;
  readonly name: string;
  readonly schemaText: string;
}

/** A question for a model, with all members of the request. */
export interface AskedQuestion extends Question {
  /** The message of the form, in which variables have no values yet. @default the message */
  readonly template?: string;
  /** @default the server's default model */
  readonly model?: string | undefined;
  /** @default the first line of the message */
  readonly title?: string | undefined;
  /** True if the turn ends with a plan. A plan has no typed answer. @default false */
  readonly isPlan?: boolean;
  /** Tools that the client runs. @default none */
  readonly tools?: readonly DynamicTool[] | undefined;
  readonly limits?: RequestLimitsBody | undefined;
  /** @default none */
  readonly files?: readonly FilePart[];
}

const KEY = 'truecast-question';

const EXAMPLE: Question = EXAMPLES[0].question;

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

export function keepQuestion(question: Question): void {
  sessionStorage.setItem(KEY, JSON.stringify(question));
}

/**
 * Returns the problem of a schema's text before it is sent. Undefined if the text is a JSON object.
 */
export function schemaProblem(text: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? undefined : 'Expected a JSON Schema: an object such as {"type": "object"}.';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

export function formatOf({ name, schemaText }: Question): {
  readonly type: 'json_schema';
  readonly json_schema: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
} {
  return { type: 'json_schema', json_schema: { name, schema: parseSchema(schemaText) } };
}

/**
 * Returns the body that creates a chat with the question. Members with default values are left out.
 */
export function chatBodyOf(question: AskedQuestion): CreateChatBody {
  const { message, model, title, isPlan = false, tools = [], limits = {}, files = [] } = question;
  return {
    content: files.length === 0 ? message : [...files, { type: 'text', text: message }],
    ...(isPlan ? { plan_mode: true } : { response_format: formatOf(question) }),
    ...(model !== undefined && { model }),
    ...(title !== undefined && { title }),
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(limits).length > 0 && !isPlan && { limits }),
  };
}
