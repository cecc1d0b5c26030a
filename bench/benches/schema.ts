/**
 * Bench of JSON Schemas that are new in each request: compiling, validating, and a request's whole
 * cost.
 */
import { loadSchemaEngines, type SchemaEngine } from '../contestants/schema-engines.ts';
import { expectRight } from '../harness/expect-right.ts';
import { formatNumber, formatRatio } from '../harness/format.ts';
import type { Bench, Table } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { distinctSchema, SCHEMA_CASES, type SchemaCase } from '../inputs/schemas.ts';

/** Validations per clock reading, because a reading takes as long as one validation. */
const VALIDATIONS_PER_SAMPLE = 50;

interface Samples {
  readonly compile: number[];
  readonly request: number[];
  readonly valid: number[];
  readonly invalid: number[];
}

export const benchSchema: Bench = async ({ isQuick, progress }) => {
  const engines = await loadSchemaEngines();
  const tables: Table[] = [];
  for (const schemaCase of SCHEMA_CASES) {
    const rounds = (schemaCase.name === 'large' ? 250 : 600) / (isQuick ? 5 : 1);
    progress(`${schemaCase.name}, ${rounds} rounds`);
    for (const engine of engines) checkEngine(engine, schemaCase);
    measure(engines, schemaCase, Math.ceil(rounds / 5), 0);
    const samples = measure(engines, schemaCase, rounds, rounds);
    tables.push(makeTable(schemaCase, engines, samples, rounds));
  }
  return { name: 'schema', method: METHOD, tables };
};

const METHOD = [
  'A request brings its own schema: compile it, validate one value. Every schema is parsed anew and its text is unique, so no cache helps. `cached` is ours when the same text comes again.',
  'All engines report all issues of an invalid value (Ajv `allErrors`, cfworker without its short circuit, TypeBox `Check` then `Errors`). Ajv is one instance with `strict: false`, which saves its start. Each schema is removed again.',
  `A validation is timed in batches of ${VALIDATIONS_PER_SAMPLE} of one value on one compiled schema, which favours engines that generate code. Compile and request are timed one by one.`,
  'Ours also guards: it loads nothing, bounds its work, and passes no pattern to a backtracking engine. The ratio is the median of request(engine) / request(truecast), round by round.',
  'p99 includes garbage collections, which hit any engine. TypeBox and Ajv evaluate generated code, which a content security policy or an edge runtime can forbid.',
];

function checkEngine(engine: SchemaEngine, { name, schema, valid, invalid }: SchemaCase): void {
  const validate = engine.compile({ ...schema });
  expectRight(`${engine.name} on the valid value of ${name}`, validate(valid), 0);
  expectRight(`${engine.name} on the invalid value of ${name}`, validate(invalid) > 0, true);
}

function measure(
  engines: readonly SchemaEngine[],
  schemaCase: SchemaCase,
  rounds: number,
  firstIndex: number,
): Map<string, Samples> {
  const samples = new Map(
    engines.map(({ name }) => [
      name,
      { compile: [], request: [], valid: [], invalid: [] } satisfies Samples as Samples,
    ]),
  );
  for (let round = 0; round < rounds; round += 1) {
    for (const engine of engines) {
      const schema = distinctSchema(schemaCase, engine.isCached === true ? -1 : firstIndex + round);
      measureOnce(engine, schema, schemaCase, samples.get(engine.name));
    }
  }
  return samples;
}

function measureOnce(
  engine: SchemaEngine,
  schema: Record<string, unknown>,
  { valid, invalid }: SchemaCase,
  samples: Samples | undefined,
): void {
  const startedAt = performance.now();
  const validate = engine.compile(schema);
  const compiledAt = performance.now();
  validate(valid);
  const answeredAt = performance.now();
  samples?.compile.push(compiledAt - startedAt);
  samples?.request.push(answeredAt - startedAt);
  samples?.valid.push(timeBatch(validate, valid));
  samples?.invalid.push(timeBatch(validate, invalid));
}

function timeBatch(validate: (value: unknown) => number, value: unknown): number {
  const startedAt = performance.now();
  for (let count = 0; count < VALIDATIONS_PER_SAMPLE; count += 1) validate(value);
  return (performance.now() - startedAt) / VALIDATIONS_PER_SAMPLE;
}

function makeTable(
  schemaCase: SchemaCase,
  engines: readonly SchemaEngine[],
  samples: ReadonlyMap<string, Samples>,
  rounds: number,
): Table {
  const ours = samples.get('truecast')?.request ?? [];
  return {
    title: `${schemaCase.name} schema, ${JSON.stringify(schemaCase.schema).length} bytes, ${rounds} rounds; microseconds`,
    columns: [
      'engine',
      'compile mean',
      'compile p99',
      'valid mean',
      'invalid mean',
      'request mean',
      'request p99',
      'request / truecast',
    ],
    rows: engines.map(({ name }) => makeRow(name, samples.get(name), ours)),
  };
}

function makeRow(name: string, samples: Samples | undefined, ours: readonly number[]): string[] {
  const micro = (milliseconds: number): string => formatNumber(milliseconds * 1000);
  const { compile, request, valid, invalid } = samples ?? {
    compile: [],
    request: [],
    valid: [],
    invalid: [],
  };
  const figures = [
    summarize(compile).mean,
    summarize(compile).p99,
    summarize(valid).mean,
    summarize(invalid).mean,
    summarize(request).mean,
    summarize(request).p99,
  ];
  return [name, ...figures.map((figure) => micro(figure)), formatRatio(medianRatio(request, ours))];
}
