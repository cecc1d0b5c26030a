/**
 * Dry run of a response format: its problems, and the losses of each provider's schema mode. Pure.
 */
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import { lowerJsonSchema, SCHEMA_DIALECTS } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { DIALECT_NAMES } from '../contract/wire-codes.ts';
import { toPointer, type FormatProblem } from './format-problem.ts';
import { parseResponseFormat } from './parse-response-format.ts';

/** One provider's schema mode for the schema. */
export interface DialectReport {
  readonly dialect: (typeof DIALECT_NAMES)[SchemaDialect];
  /**
   * True if the provider accepts the schema at all. Otherwise the answer is requested with the
   * tool.
   */
  readonly is_taken: boolean;
  /** Constraints that only the server enforces. */
  readonly losses: readonly { readonly pointer: string; readonly keyword: string; readonly reason: string }[];
  /** Parts that are requested in another form and converted back. */
  readonly changes: readonly { readonly pointer: string; readonly keyword: string; readonly form: string }[];
}

export interface DryRun {
  readonly is_valid: boolean;
  readonly problems: readonly FormatProblem[];
  /** Empty for the type `text`, and if there are problems. */
  readonly dialects: readonly DialectReport[];
}

/**
 * Reads the text of a `response_format` as for a message, and reports the result. Never throws.
 *
 * @param pause - runs between two dialects, each of which takes at most some tens of milliseconds.
 *   @default a turn of the event loop
 */
export async function dryRunFormat(
  text: string | undefined,
  pause: () => Promise<unknown> = nextTurn,
): Promise<DryRun> {
  const parsed = parseResponseFormat(text);
  if (parsed.type === 'refused') return { is_valid: false, problems: parsed.problems, dialects: [] };
  if (parsed.type === 'text') return { is_valid: true, problems: [], dialects: [] };
  const { schema } = parsed.format;
  const dialects: DialectReport[] = [];
  const byRules = new Map<unknown, DialectReport>();
  for (const { name, rules } of Object.values(SCHEMA_DIALECTS)) {
    // Dialects of one service have the same rules, so one lowering is enough for both.
    const known = byRules.get(rules);
    const report = known === undefined ? reportOf(schema, name) : { ...known, dialect: DIALECT_NAMES[name] };
    byRules.set(rules, report);
    dialects.push(report);
    await pause();
  }
  return { is_valid: true, problems: [], dialects };
}

function nextTurn(): Promise<unknown> {
  return new Promise((resolve) => setImmediate(resolve));
}

function reportOf(schema: JsonSchema, dialect: SchemaDialect): DialectReport {
  try {
    const { losses, changes } = lowerJsonSchema(schema, dialect);
    return {
      dialect: DIALECT_NAMES[dialect],
      is_taken: true,
      losses: losses.map(({ path, keyword, reason }) => ({ pointer: toPointer(path), keyword, reason })),
      changes: changes.map(({ path, keyword, form }) => ({ pointer: toPointer(path), keyword, form })),
    };
  } catch (error) {
    if (!SchemaError.isInstance(error)) throw error;
    return { dialect: DIALECT_NAMES[dialect], is_taken: false, losses: [], changes: [] };
  }
}
