/**
 * `truecast check`: reports schema problems, and how each provider's schema mode handles the
 * schema, before a run costs money.
 */
import type { Command } from 'commander';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { SchemaDialect } from '@truecast/core/internal/schema/dialects/profiles/dialect-profile';
import { lowerJsonSchema, SCHEMA_DIALECTS } from '@truecast/core/internal/schema/dialects/lower-json-schema';
import type {
  SchemaChange,
  SchemaLoss,
} from '@truecast/core/internal/schema/dialects/lowering/lowering-port';
import { pointerOf, type SchemaPath } from '@truecast/core/internal/schema/dialects/analysis/schema-place';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { sampleValue } from '@truecast/core/internal/schema/sample/sample-value';
import { toJsonSchema } from '@truecast/core/internal/schema/to-json-schema';
import { findUnexpressed } from '@truecast/core/internal/schema/unexpressed';
import { EXIT, printLine, printResult, type Terminal, type Meaning } from './terminal/print.ts';
import type { CommandContext } from './flags/flag-values.ts';
import { gotUnknown } from '@truecast/core/internal/options/known-options';
import { loadSchema } from './flags/load-schema.ts';
import { measureSchema, type SchemaCost } from './measure-schema.ts';

export interface CheckFlags {
  /** Comma-separated providers. The command fails if one of them rejects the schema. */
  readonly for?: string;
  readonly json?: boolean;
}

/** How one provider handles the schema. */
interface ProviderReport {
  readonly provider: SchemaDialect;
  readonly taken: boolean;
  readonly changes: readonly SchemaChange[];
  readonly losses: readonly SchemaLoss[];
  readonly refusal?: SchemaProblem;
}

interface SchemaProblem {
  readonly code: string;
  readonly path: SchemaPath;
  readonly message: string;
}

interface CheckReport {
  readonly schema: string;
  readonly problem?: SchemaProblem;
  readonly cost?: SchemaCost;
  readonly example?: JsonValue;
  /** Rules of the schema library that its JSON Schema does not express. */
  readonly unexpressed: readonly SchemaLoss[];
  readonly providers: readonly ProviderReport[];
}

/**
 * Prints the report. Sets exit code 1 if the schema is unusable, or if a named provider rejects it.
 *
 * @throws UsageError for an unknown provider or an unreadable file
 */
async function checkCommand(reference: string, flags: CheckFlags, terminal: Terminal): Promise<void> {
  const named = readProviders(flags.for);
  const report = await makeReport(reference, named ?? allProviders());
  if (flags.json === true) await printResult(report, terminal);
  else for (const line of renderReport(report).split('\n')) printLine(line, terminal, meaningOf(line));
  const isRefused = named !== undefined && report.providers.some(({ taken }) => !taken);
  if (report.problem !== undefined || isRefused) process.exitCode = EXIT.failed;
}

function allProviders(): readonly SchemaDialect[] {
  return Object.values(SCHEMA_DIALECTS).map(({ name }) => name);
}

function readProviders(list: string | undefined): readonly SchemaDialect[] | undefined {
  if (list === undefined) return undefined;
  return list.split(',').map((name) => {
    const known = allProviders().find((provider) => provider === name.trim());
    if (known !== undefined) return known;
    throw new UsageError(
      `Expected \`--for\` to be a comma-separated list of ${allProviders().join(', ')}, ${gotUnknown(name.trim(), allProviders())}`,
    );
  });
}

async function makeReport(reference: string, providers: readonly SchemaDialect[]): Promise<CheckReport> {
  try {
    const standard = await loadSchema(reference);
    const schema = toJsonSchema(standard);
    const example = sampleValue(schema, { isWhole: true });
    return {
      schema: reference,
      cost: measureSchema(schema, example),
      example,
      unexpressed: findUnexpressed(standard),
      providers: providers.map((provider) => askProvider(provider, schema)),
    };
  } catch (error) {
    return { schema: reference, problem: problemOf(error), unexpressed: [], providers: [] };
  }
}

/**
 * Returns the problem if the schema caused the error. Other errors are rethrown, because the caller
 * caused them.
 */
function problemOf(error: unknown): SchemaProblem {
  if (SchemaError.isInstance(error)) return { code: error.code, path: error.path, message: error.message };
  if (UsageError.isInstance(error) && error.code === 'unsupported') {
    return { code: error.code, path: [], message: error.message };
  }
  throw error;
}

function askProvider(provider: SchemaDialect, schema: JsonSchema): ProviderReport {
  try {
    const { changes, losses } = lowerJsonSchema(schema, provider);
    return { provider, taken: true, changes, losses };
  } catch (error) {
    return { provider, taken: false, changes: [], losses: [], refusal: problemOf(error) };
  }
}

/** Colors the verdict of each provider, and a schema that no provider can use. */
function meaningOf(line: string): Meaning | undefined {
  if (/^[\w-]+: accepts it/u.test(line)) return 'good';
  return /^[\w-]+: rejects it|: cannot be used \(/u.test(line) ? 'bad' : undefined;
}

function renderReport({ schema, problem, cost, example, unexpressed, providers }: CheckReport): string {
  if (problem !== undefined || cost === undefined) {
    return `${schema}: cannot be used (${problem?.code}), at ${placeOf(problem?.path ?? [])}\n  ${problem?.message}`;
  }
  const { draft, bytes, schemas, values, compileMs, exampleWork } = cost;
  return [
    `${schema}: draft ${draft.replace('draft-', '')}, ${bytes} bytes, ${schemas} schemas, ${values} values`,
    `  compiled in ${compileMs.toFixed(1)} ms; validating its example takes at most ${exampleWork} of 500000 units of work`,
    `  example: ${JSON.stringify(example)}`,
    ...unexpressed.map(
      ({ path, keyword, reason }) => `  not in the JSON Schema: ${keyword} at ${placeOf(path)}: ${reason}`,
    ),
    ...providers.flatMap(renderProvider),
  ].join('\n');
}

function renderProvider({ provider, refusal, changes, losses }: ProviderReport): readonly string[] {
  if (refusal !== undefined) {
    return ['', `${provider}: rejects it at ${placeOf(refusal.path)}`, `  ${refusal.message}`];
  }
  const lost = losses.length === 0 ? 'no keyword lost' : `${losses.length} lost`;
  return [
    '',
    `${provider}: accepts it, ${lost}`,
    ...changes.map(({ path, form }) => `  form  ${placeOf(path)}: ${form}`),
    ...losses.map(({ path, reason }) => `  lost  ${placeOf(path)}: ${reason}`),
  ];
}

function placeOf(path: SchemaPath): string {
  return path.length === 0 ? 'the root' : pointerOf(path);
}

export function addCheckCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('check')
    .description("Report schema problems, and how each provider's schema mode handles the schema.")
    .argument('<schema>', 'schema.json, or ./schema.ts#name')
    .option(
      '--for <providers>',
      `fail if one of these providers rejects the schema: ${allProviders().join(', ')}`,
    )
    .option('--json', 'print { cost, example, providers: [{ taken, changes, losses, refusal }], … }')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast check bug.json
  $ truecast check ./schemas.ts#triage --for openai,codex`,
    )
    .action((reference: string, flags: CheckFlags) =>
      finish(() => checkCommand(reference, flags, terminal), flags),
    );
}
