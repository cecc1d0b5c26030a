/**
 * Outcome schema: one Standard Schema of an answer, a question and a refusal, so that every route
 * carries them without a rule for them. Pure.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { isRecord } from '../../kit/is-record.ts';
import { embedAlternatives, type Alternative } from '../../schema/engine/embed-schema.ts';
import type { JsonSchema } from '../../schema/engine/read-schema.ts';
import type { AnyOutputDefinition } from '../definition/definition.ts';
import type { Outcome, OutcomeSchema } from '../definition/outcome.ts';
import { outputJsonSchema } from '../definition/output-json-schema.ts';
import { validateValue } from './validate-value.ts';

type AnyOutcome = Outcome<unknown, unknown>;
type Result = StandardSchemaV1.Result<AnyOutcome>;

/** The parts of an outcome. */
export interface OutcomeParts {
  readonly answer: AnyOutputDefinition;
  /** The definition of a question. `true` for `{ text, options? }`. */
  readonly question?: true | AnyOutputDefinition | undefined;
  readonly declines: boolean;
}

const QUESTION: JsonSchema = {
  type: 'object',
  properties: {
    text: { type: 'string', minLength: 1, description: 'The question, for a person' },
    options: {
      type: 'array',
      items: { type: 'string' },
      description: 'Answers to choose from, if there are few',
    },
  },
  required: ['text'],
  additionalProperties: false,
};

const REASON: JsonSchema = { type: 'string', minLength: 1 };

/** Composes the schema: an object with exactly one of the keys `answer`, `question` and `declined`. */
export function outcomeSchema(parts: OutcomeParts): OutcomeSchema<AnyOutcome> & StandardSchemaV1 {
  const { answer, question, declines } = parts;
  const jsonSchema = (): Record<string, unknown> => ({ ...embedAlternatives(alternativesOf(parts)) });
  const own = question === true || question === undefined ? [] : [question];
  const standard = {
    version: 1,
    vendor: 'truecast',
    validate: (value: unknown) => judgeOutcome(value, parts),
    jsonSchema: { input: jsonSchema, output: jsonSchema },
  } as const;
  return {
    '~outcome': { asks: question !== undefined, declines, parts: [answer, ...own] },
    '~standard': standard,
  };
}

function alternativesOf({ answer, question, declines }: OutcomeParts): readonly Alternative[] {
  const list: Alternative[] = [
    { key: 'answer', schema: schemaOf(answer), description: 'The work is done: the answer' },
  ];
  if (question !== undefined) {
    const schema = question === true ? QUESTION : schemaOf(question);
    list.push({
      key: 'question',
      schema,
      description: 'Only a person can decide how to continue: the question. Nothing is guessed',
    });
  }
  if (declines) {
    const description = 'The task cannot or must not be done: the reason';
    list.push({ key: 'declined', schema: REASON, description });
  }
  return list;
}

function schemaOf(definition: AnyOutputDefinition): JsonSchema {
  return outputJsonSchema(definition) ?? true;
}

/** An answer without its envelope counts too, unless it has a key of another outcome. */
async function judgeOutcome(value: unknown, parts: OutcomeParts): Promise<Result> {
  const { answer, question, declines } = parts;
  const keys = ['answer', ...(question === undefined ? [] : ['question']), ...(declines ? ['declined'] : [])];
  const used = usedKeys(value, keys);
  const [only] = used;
  if (isRecord(value) && only !== undefined && used.length === 1 && keys.includes(only)) {
    const judged = await judgeEnvelope(only, value[only], parts);
    if (judged.issues === undefined || !namesOwn(answer, [only])) return judged;
    const bare = await judgeAnswer(value, answer);
    return bare.issues === undefined ? bare : judged;
  }
  const others = used.filter((key) => keys.includes(key));
  const bare = namesOwn(answer, others) ? await judgeAnswer(value, answer) : undefined;
  if (bare !== undefined && bare.issues === undefined) return bare;
  const names = keys.map((key) => `"${key}"`).join(', ');
  return { issues: [{ message: `Expected an object with exactly one of the keys ${names}`, path: [] }] };
}

/** A model that writes each key writes null for the others. */
function usedKeys(value: unknown, keys: readonly string[]): readonly string[] {
  if (!isRecord(value)) return [];
  const all = Object.keys(value);
  const used = all.filter((key) => value[key] !== null || !keys.includes(key));
  return used.length === 0 ? all : used;
}

/** Returns true if the answer's own schema has each of the keys. */
function namesOwn(answer: AnyOutputDefinition, keys: readonly string[]): boolean {
  if (keys.length === 0) return true;
  const own = ownProperties(answer);
  return isRecord(own) && keys.every((key) => Object.hasOwn(own, key));
}

function ownProperties(answer: AnyOutputDefinition): unknown {
  try {
    const schema = schemaOf(answer);
    return typeof schema === 'object' ? schema['properties'] : undefined;
  } catch {
    // A schema without a JSON Schema still validates an answer in its envelope.
    return undefined;
  }
}

async function judgeEnvelope(
  key: string,
  value: unknown,
  { answer, question }: OutcomeParts,
): Promise<Result> {
  if (key === 'answer') return below('answer', await judgeAnswer(value, answer));
  if (key === 'declined') {
    return typeof value === 'string' && value.trim() !== ''
      ? { value: { outcome: 'declined', reason: value } }
      : reject('Expected the reason, a non-empty string', ['declined']);
  }
  if (question === true || question === undefined) return readQuestion(value);
  return below(
    'question',
    await judgePart(value, question, (own) => ({ outcome: 'question', question: own })),
  );
}

function judgeAnswer(value: unknown, answer: AnyOutputDefinition): Promise<Result> {
  return judgePart(value, answer, (own) => ({ outcome: 'answered', answer: own }));
}

async function judgePart(
  value: unknown,
  part: AnyOutputDefinition,
  make: (value: unknown) => AnyOutcome,
): Promise<Result> {
  const verdict = await validateValue(value, part);
  if (verdict.type === 'failed') throw verdict.cause;
  return verdict.type === 'accepted' ? { value: make(verdict.value) } : { issues: verdict.issues };
}

function below(key: string, result: Result): Result {
  if (result.issues === undefined) return result;
  return { issues: result.issues.map((issue) => ({ ...issue, path: [key, ...(issue.path ?? [])] })) };
}

/** A question as a plain string is a question without options. */
function readQuestion(value: unknown): Result {
  const { text, options = null } = typeof value === 'string' ? { text: value } : isRecord(value) ? value : {};
  if (typeof text !== 'string' || text.trim() === '') {
    return reject('Expected the question, a non-empty string', ['question', 'text']);
  }
  if (options === null) return { value: { outcome: 'question', question: { text } } };
  if (!Array.isArray(options) || !options.every((option): option is string => typeof option === 'string')) {
    return reject('Expected a list of strings', ['question', 'options']);
  }
  return { value: { outcome: 'question', question: { text, ...(options.length > 0 && { options }) } } };
}

function reject(message: string, path: readonly string[]): Result {
  return { issues: [{ message, path }] };
}
