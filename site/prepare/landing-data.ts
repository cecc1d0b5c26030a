/**
 * Data of the landing page: each figure, guarantee and sample comes from a file that a test or a
 * benchmark holds. Throws if such a file no longer has it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cellsOf, rowOf, tableRows } from './markdown.ts';
import { samplePath, SAMPLES, shownCode } from './samples.ts';

/** A measured value, and the command that measures it again. */
interface Figure {
  readonly value: string;
  readonly meaning: string;
  readonly command: string;
}

/** Where a figure is: a row of a page, and the form of the value in the row. */
interface FigureSource {
  readonly file: string;
  readonly row: string;
  /** Group 1 is the value. Group 2, if any, replaces `…` in the meaning. */
  readonly form: RegExp;
  readonly meaning: string;
  readonly command: string;
}

const README = 'README.md';
const BENCH = 'docs/bench.md';
const GUARANTEES = 'docs/guarantees.md';

const FIGURES: readonly FigureSource[] = [
  {
    file: README,
    row: '`truecast` installs at most',
    form: /at most (\d+ packages) and (\d+ MB)/u,
    meaning: 'and … at most: all that truecast installs',
    command: 'npx vitest run test/package/install.test.ts',
  },
  {
    file: README,
    row: '`truecast/output` is at most',
    form: /at most (\d+ KB)/u,
    meaning: 'at most, to find and validate answers in a browser',
    command: 'npx vitest run test/package/bundle.test.ts',
  },
  {
    file: BENCH,
    row: 'find an answer after 10 MB of prose',
    form: /([\d.]+ ms) .*?([\d.]+) times as long as one/u,
    meaning: 'to find an answer after 10 MB of text: … times one indexOf()',
    command: 'npm run bench -- --only extraction',
  },
  {
    file: BENCH,
    row: '`generate()`, native mode, over HTTP',
    form: /([\d,]+) calls a second .*?([\d.]+) times as long as/u,
    meaning: 'calls a second of generate() over HTTP: … times the time of the AI SDK',
    command: 'npm run bench -- --only generate',
  },
  {
    file: BENCH,
    row: '`run()`, worktree and merge',
    form: /(\d+ ms) .*?([\d.]+)x the same git/u,
    meaning: 'for run() with a worktree and a merge: … times the same git commands',
    command: 'npm run bench -- --only run-overhead',
  },
  {
    file: BENCH,
    row: 'truecast 32 of 32',
    form: /32 of 32 ([\d,]+ of [\d,]+)/u,
    meaning: 'values of real schemas get the verdict of the reference validator',
    command: 'npm run bench -- --only schema-corpus',
  },
];

/** Guarantees that the landing page names. The others are on their page. */
const SHOWN = ['A1', 'A4', 'B1', 'C2', 'D3', 'D7', 'E1', 'F4'];

/** Parsers that are shown beside ours, by their row in the table of `docs/bench.md`. */
const PARSERS = ['truecast `parseAgentOutput`', '`jsonrepair`', '`partial-json`', '`JSON.parse`'];

/** Data of the landing page. */
export interface LandingData {
  readonly measured: string;
  readonly figures: readonly Figure[];
  readonly trace: Trace;
  readonly samples: readonly { readonly name: string; readonly label: string; readonly code: string }[];
  readonly guarantees: {
    readonly count: number;
    readonly routes: number;
    /** Cells of the table in each state, such as `held`. */
    readonly states: Readonly<Record<string, number>>;
    readonly shown: readonly string[];
  };
  readonly parsers: readonly ParserCounts[];
  readonly jobs: { readonly lines: Pair; readonly survived: Pair };
}

/** How many texts of a benchmark a parser reads. */
interface ParserCounts {
  readonly name: string;
  readonly right: number;
  /** One of several readings, which can be another one than the right one. */
  readonly guessed: number;
  readonly wrong: number;
  readonly refused: number;
}

/** The same figure with Truecast, and with code written by hand. */
interface Pair {
  readonly ours: string;
  readonly glue: string;
}

/** The recorded run of the picture in README. */
interface Trace {
  readonly command: string;
  readonly steps: readonly {
    readonly kind: 'agent' | 'refused' | 'valid' | 'commit';
    readonly text: string;
  }[];
}

/** Reads all data from the repository at `root`. */
export function landingData(root: string): LandingData {
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const bench = read(BENCH);
  return {
    measured: oneMatch(bench, /^Measured on (.+?)\. /mu),
    figures: FIGURES.map((source) => figureOf(source, read(source.file))),
    trace: traceOf(read('docs/images/refused-and-corrected.svg')),
    samples: Object.entries(SAMPLES).map(([name, label]) => ({
      name: `${name}.ts`,
      label,
      code: shownCode(read(samplePath(name))),
    })),
    guarantees: guaranteesOf(read(GUARANTEES)),
    parsers: PARSERS.map((start) => parserCounts(rowOf(bench, start))),
    jobs: jobsOf(read('docs/compare-glue.md')),
  };
}

function figureOf({ row, form, meaning, command }: FigureSource, page: string): Figure {
  const cells = tableRows(page).find((each) => each.join(' ').startsWith(row));
  const match = form.exec(cells?.join(' ') ?? '');
  if (match === null) throw new Error(`No table has a row \`${row}\` with ${String(form)}.`);
  return { value: match[1] ?? '', meaning: meaning.replace('…', match[2] ?? '…'), command };
}

function parserCounts([name = '', ...counts]: readonly string[]): ParserCounts {
  const [right = 0, guessed = 0, wrong = 0, refused = 0] = counts.map(Number);
  return { name: name.replaceAll('`', '').replace('truecast ', ''), right, guessed, wrong, refused };
}

/** Reads the steps of the recording from its text. */
function traceOf(svg: string): Trace {
  const text = oneMatch(svg, /<desc>([\s\S]*?)<\/desc>/u)
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
  const forms = [
    ['agent', /^● <result>(.*)<\/result>$/u],
    ['refused', /^× attempt \d+: answer refused (.*)$/u],
    ['valid', /^✓ (answer valid)$/u],
    ['commit', /^✓ commit (\w{7})\w*$/u],
  ] as const;
  const steps = text.split('\n').flatMap((line) =>
    forms.flatMap(([kind, form]) => {
      const match = form.exec(line);
      return match === null ? [] : [{ kind, text: match[1] ?? '' }];
    }),
  );
  if (steps.length !== 5) throw new Error(`The recording has ${steps.length} steps, not 5.`);
  return { command: oneMatch(text, /^\$ (.*)$/mu), steps };
}

function guaranteesOf(page: string): LandingData['guarantees'] {
  const rows = tableRows(page).filter(([title = '']) => /^[A-F]\d+\. /u.test(title));
  const cells = rows.flatMap(([, ...states]) => states);
  const shown = SHOWN.map((id) => (rowOf(page, `${id}. `)[0] ?? '').slice(id.length + 2));
  return {
    count: rows.length,
    routes: (rows[0]?.length ?? 1) - 1,
    states: Object.fromEntries(
      [...Map.groupBy(cells, (state) => state)].map(([state, all]) => [state, all.length]),
    ),
    shown,
  };
}

/** Reads the last row of the comparison with code written by hand. */
function jobsOf(page: string): LandingData['jobs'] {
  const line = oneMatch(page, /^(\| \*\*all\*\* \|.*)$/mu);
  const [, ours = '', glue = '', , , survived = '', survivedGlue = ''] = cellsOf(line);
  return { lines: { ours, glue }, survived: { ours: survived, glue: survivedGlue } };
}

function oneMatch(text: string, form: RegExp): string {
  const found = form.exec(text)?.[1];
  if (found === undefined) throw new Error(`No text has the form ${String(form)}.`);
  return found;
}
