/** Constrained decoding: the schema in a provider's dialect, and the conversion of its answers. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { instructionsFor } from '@truecast/core/internal/output/definition/instructions';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { ModelMessage } from 'ai';
import { dialectOf, sentToolSchema, WHOLE_REPLY } from '@truecast/model/internal/routes/answer-route';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import { parseJson } from '@truecast/core/internal/output/json/parse-json';
import {
  lowerJsonSchema,
  type LoweredJsonSchema,
} from '@truecast/core/internal/schema/dialects/lower-json-schema';
import { findInexact } from '@truecast/core/internal/schema/json-text/find-inexact';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/json-schema-types';
import type { Droppable } from '@truecast/model/internal/ladder/ladder';
import type { MessagePart } from '../contract/parts.ts';
import type { StoredFormat } from '../format/stored-format.ts';
import type { StepRequest } from './step-request.ts';

/** A schema in a provider's dialect. */
export interface NativeForm {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Converts an answer's text to the form of the original schema. Unchanged if lowering changed nothing. */
  restore(text: string): string;
}

/** Work of a trimming that follows a lowering of the greatest work. Other turns wait for both. */
const MAX_WORK_AFTER_COSTLY = 50_000;

/**
 * Lowers a schema to the dialect of the model's provider. An unsupported schema is sent in its own form,
 * and the provider decides.
 */
export function nativeForm(schema: JsonSchema, model: GenerateModel): NativeForm {
  const lowered = safeLower(schema, model);
  if (SchemaError.isInstance(lowered)) {
    const own = typeof schema === 'object' ? schema : {};
    const maxWork = lowered.code === 'too-much-work' ? MAX_WORK_AFTER_COSTLY : undefined;
    return { schema: sentToolSchema(own, model, maxWork), restore: (text) => text };
  }
  return {
    schema: lowered.schema,
    restore: (text) => (lowered.changes.length === 0 ? text : restore(text, lowered)),
  };
}

/** The parts of a request for an answer that is the reply's text. */
export interface TextForm extends Pick<StepRequest, 'nativeSchema' | 'isJsonMode'> {
  /** Tells the schema in words, at the end of the prompt. */
  readonly told: readonly ModelMessage[];
}

/** Returns the request of a step of the ladder whose answer is text. */
export function textForm(
  step: Droppable,
  { name, schema }: Pick<StoredFormat, 'name' | 'schema'>,
  model: GenerateModel,
): TextForm {
  if (step === 'schema' || step === 'object') {
    const isObjectMode = step === 'object';
    return { told: [], nativeSchema: { name, schema: nativeForm(schema, model).schema, isObjectMode } };
  }
  const content = `${instructionsFor(Output.object({ schema: jsonSchema(schema) }))}\n${WHOLE_REPLY}`;
  return { told: [{ role: 'user', content }], isJsonMode: step === 'json' };
}

/** Returns a provider's answer in the form of the original schema. */
export function restoreParts(
  parts: readonly MessagePart[],
  schema: JsonSchema,
  { step, model }: { readonly step: Droppable; readonly model: GenerateModel },
): readonly MessagePart[] {
  if (step !== 'schema' && step !== 'object') return parts;
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const others = parts.filter(({ type }) => type !== 'text');
  return text === '' ? others : [...others, { type: 'text', text: nativeForm(schema, model).restore(text) }];
}

/**
 * Text that a parsed value cannot represent exactly stays unchanged. The following validation
 * rejects its form.
 */
function restore(text: string, { inverse }: LoweredJsonSchema): string {
  const parsed = parseJson(text);
  if (!parsed.success || findInexact(text, parsed.value) !== undefined) return text;
  try {
    return JSON.stringify(inverse(parsed.value));
  } catch (error) {
    if (SchemaError.isInstance(error)) return text;
    throw error;
  }
}

function safeLower(schema: JsonSchema, model: GenerateModel): LoweredJsonSchema | SchemaError {
  try {
    return lowerJsonSchema(schema, dialectOf(model));
  } catch (error) {
    if (SchemaError.isInstance(error)) return error;
    throw error;
  }
}
