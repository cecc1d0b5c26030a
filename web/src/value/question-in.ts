/** Reads the question of an outcome from the value of an answer. */
import { isRecord } from '@truecast/core/internal/kit/is-record';

/** A question for display. */
export interface ShownQuestion {
  readonly text: string;
  /** Answers to choose from. Empty if any text can be the answer. */
  readonly options: readonly string[];
}

/**
 * Returns the question of a value. Undefined for another value, and for a schema that is not of outcomes:
 * one with a closed object of the key `question` as an alternative.
 */
export function questionIn(value: unknown, schemaText: string): ShownQuestion | undefined {
  const outcome = isRecord(value) && 'value' in value ? value['value'] : value;
  const question = isRecord(outcome) ? outcome['question'] : undefined;
  if (!isRecord(outcome) || Object.keys(outcome).length !== 1 || question === undefined) return undefined;
  if (!allowsQuestions(schemaText)) return undefined;
  if (typeof question === 'string') return { text: question, options: [] };
  const { text, options } = isRecord(question) ? question : {};
  if (typeof text !== 'string') return { text: JSON.stringify(question), options: [] };
  const chosen: readonly unknown[] = Array.isArray(options) ? options : [];
  return { text, options: chosen.filter((option) => typeof option === 'string') };
}

function allowsQuestions(schemaText: string): boolean {
  try {
    const schema: unknown = JSON.parse(schemaText);
    const inner = propertiesOf(schema)['value'] ?? schema;
    const branches: unknown = isRecord(inner) ? inner['anyOf'] : undefined;
    const keys = (Array.isArray(branches) ? branches : []).map((branch) => Object.keys(propertiesOf(branch)));
    return keys.some((own) => own.join() === 'question') && keys.some((own) => own.join() === 'answer');
  } catch {
    return false;
  }
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? properties : {};
}
