/** Owns the dry run of a format: all that is wrong with it, and what each provider's schema mode would lose of it. Pure. */
import { SchemaError } from '../../errors/schema-error.ts';
import type { SchemaDialect } from '../../schema/dialects/dialect-profile.ts';
import { lowerJsonSchema, SCHEMA_DIALECTS } from '../../schema/dialects/lower-json-schema.ts';
import type { JsonSchema } from '../../schema/json-schema-types.ts';
import { toPointer, type FormatProblem } from './format-problem.ts';
import { parseResponseFormat } from './parse-response-format.ts';

/** What one provider's schema mode makes of the schema. */
export interface DialectReport {
  readonly dialect: SchemaDialect;
  /** Whether the provider can be given the schema at all; where it cannot, the answer is asked for by the tool. */
  readonly is_taken: boolean;
  /** What the provider does not hold the answer to; the server does. */
  readonly losses: readonly { readonly pointer: string; readonly keyword: string; readonly reason: string }[];
  /** What the provider is asked for in another form, which is turned back. */
  readonly changes: readonly { readonly pointer: string; readonly keyword: string; readonly form: string }[];
}

/** What a dry run found. */
export interface DryRun {
  readonly is_valid: boolean;
  readonly problems: readonly FormatProblem[];
  /** Empty for the type `text`, and where there are problems. */
  readonly dialects: readonly DialectReport[];
}

/** Reads the text of a `response_format` as sending it would, and reports. Never throws. */
export function dryRunFormat(text: string | undefined): DryRun {
  const parsed = parseResponseFormat(text);
  if (parsed.type === 'refused') return { is_valid: false, problems: parsed.problems, dialects: [] };
  if (parsed.type === 'text') return { is_valid: true, problems: [], dialects: [] };
  const { schema } = parsed.format;
  const dialects = Object.values(SCHEMA_DIALECTS).map(({ name }) => reportOf(schema, name));
  return { is_valid: true, problems: [], dialects };
}

function reportOf(schema: JsonSchema, dialect: SchemaDialect): DialectReport {
  try {
    const { losses, changes } = lowerJsonSchema(schema, dialect);
    return {
      dialect,
      is_taken: true,
      losses: losses.map(({ path, keyword, reason }) => ({ pointer: toPointer(path), keyword, reason })),
      changes: changes.map(({ path, keyword, form }) => ({ pointer: toPointer(path), keyword, form })),
    };
  } catch (error) {
    if (!SchemaError.isInstance(error)) throw error;
    return { dialect, is_taken: false, losses: [], changes: [] };
  }
}
