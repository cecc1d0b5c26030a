/**
 * Bench over real schemas: which engines compile them, which agree with the oracle, and the cost of
 * a request with one of them.
 */
import { SchemaError } from '../../packages/core/src/errors/schema-error.ts';
import { compileJsonSchema } from '../../packages/core/src/schema/engine/compile-json-schema.ts';
import { type CorpusEngine, draftOf, type Judge, loadCorpusEngines } from '../contestants/corpus-engines.ts';
import { formatNumber, formatRatio } from '../harness/format.ts';
import type { Bench, Table } from '../harness/report.ts';
import { medianRatio, summarize } from '../harness/statistics.ts';
import { type CorpusSchema, readCorpus } from '../inputs/corpus-schemas.ts';
import { generateValue, mutateValue } from '../inputs/generate-value.ts';

/** Values generated for each schema, and the same number with one change. */
const VALUES = 20;

/** Minimum rounds of a schema, and the time after the first round at which no new one starts. */
const MIN_ROUNDS = 3;
const BUDGET_MS = 5000;

/** Results of an engine over the whole corpus. */
interface Tally {
  compiled: number;
  refused: number;
  agreed: number;
  judged: number;
  readonly requestMs: number[];
  readonly requestOfOursMs: number[];
  readonly disagreements: string[];
}

interface CorpusCase extends CorpusSchema {
  readonly values: readonly unknown[];
  /** The oracle's verdict on each value. */
  readonly verdicts: readonly boolean[];
}

export const benchSchemaCorpus: Bench = async ({ isQuick, progress }) => {
  const engines = await loadCorpusEngines();
  const tallies = new Map(engines.map(({ name }) => [name, emptyTally()]));
  const refusals: string[][] = [];
  let validCount = 0;
  let caseCount = 0;
  for (const schema of await readCorpus()) {
    const refusal = refusalOf(schema);
    if (refusal !== '') refusals.push([schema.name, formatNumber(schema.text.length), refusal]);
    // Engines must not fetch its references.
    if (refusal.startsWith('remote-reference')) continue;
    progress(`${schema.name}, ${schema.text.length} bytes`);
    const one = await makeCase(schema, engines.at(-1));
    if (one === undefined) {
      refusals.push([
        schema.name,
        formatNumber(schema.text.length),
        'left out: the oracle cannot compile it',
      ]);
      continue;
    }
    validCount += one.verdicts.filter(Boolean).length;
    caseCount += one.verdicts.length;
    for (const engine of engines) await judgeAll(engine, one, tallies.get(engine.name) ?? emptyTally());
    await timeAll(engines, one, isQuick ? MIN_ROUNDS : 20, tallies);
  }
  const title = `${tallies.get('truecast')?.compiled} real schemas, ${caseCount} values (${validCount} valid); compile and judge two values, microseconds`;
  return {
    name: 'schema-corpus',
    method: METHOD,
    tables: [
      makeTable(title, tallies),
      {
        title: 'left out, or refused by truecast’s default limits',
        columns: ['schema', 'bytes', 'why'],
        rows: refusals,
      },
      {
        title: 'verdicts that differ from the oracle’s (first five of each engine)',
        columns: ['engine', 'schema'],
        rows: [...tallies].flatMap(([name, { disagreements }]) =>
          [...new Set(disagreements)].slice(0, 5).map((place) => [name, place]),
        ),
      },
    ],
  };
};

const METHOD = [
  'Schemas are published files of packages. Only `format` is removed, because the drafts leave it open whether it is asserted. Schemas that refer to other documents are listed, and no engine gets them.',
  `For each schema, ${VALUES} values are generated from a fixed seed, and ${VALUES} more with one place changed. The oracle’s verdict on them counts as right.`,
  'A request parses nothing. It compiles the schema, whose text differs each time, and validates one generated and one changed value. An engine that refuses a schema, or throws, has no time for it. A ratio is the median of request(engine) / request(truecast), pair by pair.',
  'truecast has `maxBytes` of 1 MiB and `maxNodes` of 200,000 here, and its defaults for all other limits. Ajv gets a new instance for each schema, without its metaschemas. The oracle compiles asynchronously.',
];

function emptyTally(): Tally {
  return {
    compiled: 0,
    refused: 0,
    agreed: 0,
    judged: 0,
    requestMs: [],
    requestOfOursMs: [],
    disagreements: [],
  };
}

function parse(text: string, index: number): Record<string, unknown> {
  return { ...(JSON.parse(text) as Record<string, unknown>), $comment: `request ${index}` }; // Every file is an object.
}

/**
 * Returns the code of the refusal with the default limits, and the code with limits of 1 MiB if it
 * differs. Empty if neither refuses.
 */
function refusalOf({ text }: CorpusSchema): string {
  const codeOf = (limits: Parameters<typeof compileJsonSchema>[1]): string => {
    try {
      compileJsonSchema(parse(text, -1), limits);
      return '';
    } catch (error) {
      if (SchemaError.isInstance(error)) return error.code;
      throw error;
    }
  };
  const byDefault = codeOf({});
  const raised = codeOf({ maxBytes: 1_048_576, maxNodes: 200_000 });
  if (raised.startsWith('remote')) return raised;
  return byDefault === raised
    ? byDefault
    : `${byDefault} (with raised limits: ${raised === '' ? 'none' : raised})`;
}

async function makeCase(
  schema: CorpusSchema,
  oracle: CorpusEngine | undefined,
): Promise<CorpusCase | undefined> {
  const keywords = parse(schema.text, 0);
  const made = Array.from({ length: VALUES }, (_, seed) => generateValue(keywords, seed + 1));
  // Drops values that JSON cannot represent.
  const values = [...made, ...made.map((value, seed) => mutateValue(value, seed + 1))].map((value): unknown =>
    JSON.parse(JSON.stringify(value ?? null)),
  );
  const judge = oracle === undefined ? undefined : await compileOrNothing(oracle, schema.text, 0);
  return judge === undefined
    ? undefined
    : { ...schema, values, verdicts: values.map((value) => judge(value)) };
}

async function judgeAll(
  engine: CorpusEngine,
  { name, text, values, verdicts }: CorpusCase,
  tally: Tally,
): Promise<void> {
  const judge = await compileOrNothing(engine, text, 0);
  if (judge === undefined) {
    tally.refused += 1;
    return;
  }
  tally.compiled += 1;
  for (const [index, value] of values.entries()) {
    const verdict = judgeOrNothing(judge, value);
    tally.judged += 1;
    if (verdict === verdicts[index]) tally.agreed += 1;
    else tally.disagreements.push(`${name}, value ${index}: ${verdict ?? 'threw'}`);
  }
}

async function timeAll(
  engines: readonly CorpusEngine[],
  { text, values }: CorpusCase,
  rounds: number,
  tallies: ReadonlyMap<string, Tally>,
): Promise<void> {
  const beganAt = performance.now();
  for (let round = 0; round < rounds; round += 1) {
    if (round >= MIN_ROUNDS && performance.now() - beganAt > BUDGET_MS) break;
    let oursMs = Number.NaN;
    for (const engine of engines) {
      const schema = parse(text, round + 1);
      const startedAt = performance.now();
      try {
        const compiling = engine.compile(schema, draftOf(schema));
        const judge = compiling instanceof Promise ? await compiling : compiling;
        judge(values[round % VALUES]);
        judge(values[VALUES + (round % VALUES)]);
      } catch {
        continue;
      }
      const requestMs = performance.now() - startedAt;
      if (engine.name === 'truecast') oursMs = requestMs;
      tallies.get(engine.name)?.requestMs.push(requestMs);
      tallies.get(engine.name)?.requestOfOursMs.push(oursMs);
    }
  }
}

async function compileOrNothing(
  engine: CorpusEngine,
  text: string,
  index: number,
): Promise<Judge | undefined> {
  const schema = parse(text, index);
  try {
    return await engine.compile(schema, draftOf(schema));
  } catch {
    return undefined;
  }
}

function judgeOrNothing(judge: Judge, value: unknown): boolean | undefined {
  try {
    return judge(value);
  } catch {
    return undefined;
  }
}

function makeTable(title: string, tallies: ReadonlyMap<string, Tally>): Table {
  const rows = [...tallies].map(
    ([name, { compiled, refused, agreed, judged, requestMs, requestOfOursMs }]) => {
      const { mean, p99, max } = summarize(requestMs);
      const micro = [mean, p99, max].map((milliseconds) => formatNumber(milliseconds * 1000));
      const ratio = formatRatio(medianRatio(requestMs, requestOfOursMs));
      return [name, String(compiled), String(refused), `${agreed} of ${judged}`, ...micro, ratio];
    },
  );
  const columns = [
    'engine',
    'compiled',
    'refused',
    'as the oracle',
    'mean',
    'p99',
    'max',
    'request / truecast',
  ];
  return { title, columns, rows };
}
