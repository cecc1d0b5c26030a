/** Outcome of a value on the wire that is no answer: a question or a refusal, by the schema of its request. Pure. */
import type { CreateAgentRunBody } from '@truecast/client/internal/wire/runs/agent-run';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import { unwrapRoot, WRAPPED_ROOT_KEY } from '@truecast/core/internal/schema/wrap-root';

type Format = CreateAgentRunBody['response_format'];

/** A question for a person, or the reason why there is no answer. */
export interface OtherOutcome {
  readonly kind: 'question' | 'declined';
  readonly value: unknown;
}

const KINDS = ['question', 'declined'] as const;

/** Returns the kinds that a schema allows beside an answer. Empty for each schema that is not of outcomes. */
export function otherOutcomesOf(format: Format): readonly OtherOutcome['kind'][] {
  const schema: unknown = format?.type === 'json_schema' ? format.json_schema.schema : undefined;
  const wrapped = propertiesOf(schema)[WRAPPED_ROOT_KEY];
  // A root that is no object is sent in one.
  const alternatives = alternativesOf(schema) ?? alternativesOf(wrapped) ?? [];
  const keys = alternatives.map(onlyKeyOf);
  return keys.includes('answer') ? KINDS.filter((kind) => keys.includes(kind)) : [];
}

/** Returns the question or the refusal that a value is. Undefined for an answer. */
export function otherOutcomeIn(format: Format, valueText: string | undefined): OtherOutcome | undefined {
  const kinds = otherOutcomesOf(format);
  const parsed = kinds.length === 0 || valueText === undefined ? undefined : parseJson(valueText);
  const value = parsed?.success === true ? unwrapRoot(parsed.value) : undefined;
  if (!isRecord(value)) return undefined;
  // A model that writes each key writes null for the others.
  const [key, ...more] = Object.keys(value).filter((name) => value[name] !== null);
  const kind = more.length > 0 ? undefined : kinds.find((each) => each === key);
  return kind && { kind, value: value[kind] };
}

function alternativesOf(schema: unknown): readonly unknown[] | undefined {
  const anyOf = isRecord(schema) ? schema['anyOf'] : undefined;
  return Array.isArray(anyOf) ? anyOf : undefined;
}

/** The key of a closed object that has only this one. */
function onlyKeyOf(schema: unknown): string | undefined {
  if (!isRecord(schema) || schema['additionalProperties'] !== false) return undefined;
  const [key, ...more] = Object.keys(propertiesOf(schema));
  return more.length === 0 ? key : undefined;
}

function propertiesOf(schema: unknown): Readonly<Record<string, unknown>> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  return isRecord(properties) ? properties : {};
}
