/** Constrained decoding: the schema in a provider's dialect, and the conversion of its answers. */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { copiesDemonstration } from '@truecast/core/internal/output/definition/demonstration';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { Output } from '@truecast/core/internal/output/output';
import { jsonSchema } from '@truecast/core/internal/schema/json-schema';
import type { ModelMessage } from 'ai';
import { dialectOf, sentToolSchema } from '@truecast/model/internal/modes/answer-mode';
import { withToldSchema, type ToldStep } from '@truecast/model/internal/modes/told-schema';
import type { GenerateModel } from '@truecast/model/internal/call/generate-options';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import {
  lowerJsonSchema,
  type LoweredJsonSchema,
} from '@truecast/core/internal/schema/dialects/lower-json-schema';
import { findInexact } from '@truecast/core/internal/json/text/find-inexact';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { isByText, type Way } from '@truecast/model/internal/ladder/choose-way';
import type { MessageRow, StepFacts, RowPart } from '../contract/rows.ts';
import { toPointer } from '../format/format-problem.ts';
import type { StoredFormat } from '../format/stored-format.ts';
import type { StepRequest } from './step-request.ts';

/** A schema in a provider's dialect. */
export interface NativeForm {
  readonly schema: Readonly<Record<string, unknown>>;
  /** Rules that the schema mode cannot hold. Absent without any. */
  readonly unenforced?: NonNullable<StepFacts['unenforced']>;
  /** Converts an answer's text to the form of the original schema. Unchanged if lowering changed nothing. */
  restore(text: string): string;
}

/** Work of a trimming that follows a lowering of the greatest work. Other turns wait for both. */
const MAX_WORK_AFTER_COSTLY = 50_000;
/** Rules in a row and in its receipt. */
const MAX_UNENFORCED = 100;

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
  const { losses, changes } = lowered;
  const rules = losses.slice(0, MAX_UNENFORCED);
  return {
    schema: lowered.schema,
    ...(rules.length > 0 && {
      unenforced: rules.map(({ path, keyword }) => ({ path: toPointer(path), keyword })),
    }),
    restore: (text) => (changes.length === 0 ? text : restore(text, lowered)),
  };
}

/** How an answer that is the reply's text is asked for, and read. */
export interface TextForm
  extends Partial<Pick<NativeForm, 'unenforced' | 'restore'>>, Pick<ToldStep, 'isHeldInPart'> {
  readonly request: Pick<StepRequest, 'nativeSchema' | 'isObjectMode' | 'isJsonMode'>;
  /** True if a demonstration precedes the question, and only it contains its values. */
  readonly isDemonstrated?: boolean;
}

/** Returns the form of a step of the ladder whose answer is text. Undefined for other steps. */
export function textForm(
  way: Way | undefined,
  { name, schema }: Pick<StoredFormat, 'name' | 'schema'>,
  { model, rows }: { readonly model: GenerateModel; readonly rows: readonly MessageRow[] },
): TextForm | undefined {
  if (way === undefined || !isByText(way.mode)) return undefined;
  const { step } = way;
  if (step === 'schema' || step === 'object') {
    const { schema: sent, ...form } = nativeForm(schema, model);
    const request = { nativeSchema: { name, schema: sent }, isObjectMode: step === 'object' };
    const isHeldInPart = form.unenforced !== undefined && dialectOf(model) === 'grammar';
    return { ...form, isHeldInPart, request };
  }
  const isSaid = rows.some(
    ({ role, parts }) => role !== 'assistant' && copiesDemonstration(JSON.stringify(parts)),
  );
  return { request: { isJsonMode: step === 'json' }, isDemonstrated: !isSaid };
}

/** Adds the schema in words to a prompt, where its step needs them. */
export function withToldFormat(
  messages: readonly ModelMessage[],
  { schema }: Pick<StoredFormat, 'schema'>,
  told: ToldStep,
): readonly ModelMessage[] {
  return withToldSchema(messages, () => Output.object({ schema: jsonSchema(schema) }), told);
}

/** Returns the choice of a step with the answer tool. */
export function toolChoiceOf({ step, mode }: Way): NonNullable<StepRequest['toolChoice']> {
  if (step === 'named') return { name: FINALIZER_NAME };
  return mode === 'tool' ? 'required' : 'auto';
}

/** Returns a provider's answer in the form of the original schema. */
export function restoreParts(parts: readonly RowPart[], form: TextForm | undefined): readonly RowPart[] {
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  if (form?.restore === undefined || text === '') return parts;
  return [...parts.filter(({ type }) => type !== 'text'), { type: 'text', text: form.restore(text) }];
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
