/** Lines of pages with figures of a whole benchmark run. Pure. */
import type { Limits } from '../../bench/harness/limits.ts';
import type { Report } from '../../bench/harness/report.ts';

/** Content of `bench/report.json`. */
export interface WholeRun {
  readonly measured: Limits['measured'];
  readonly reports: readonly Report[];
}

type Cells = (column: string) => string;

/** A line of a page, and the words that it begins with. */
type Line = readonly [start: string, line: string];

/** Lines of `docs/bench.md` with figures. */
export function benchLines(run: WholeRun): readonly Line[] {
  const { date, commit, machine } = run.measured;
  const rows = [answerLines, runLines, callLines, serverLines, schemaLines].flatMap((lines) => lines(run));
  return [
    [
      'Measured on ',
      `Measured on ${date} at commit ${commit}, on ${machine}, Debian 12. The cores are shared.`,
    ],
    ['The largest single value was ', hostileLine(run)],
    ...rows.map((line): Line => [`|${line.split('|')[1] ?? ''}|`, line]),
  ];
}

/** Lines of `README.md` with figures. */
export function readmeLines(run: WholeRun): readonly Line[] {
  const prose = rowOf(run, 'extraction', 'ordinary', 'prose, then the answer', '10.0');
  const merge = rowOf(run, 'run-overhead', 'run()', 'merge-to-head', 'truecast');
  const values = grouped(rowOf(run, 'schema-corpus', '32 real', 'truecast')('as the oracle'));
  const { date, commit } = run.measured;
  const rows: readonly (readonly [start: string, rest: string])[] = [
    ['| figure. Ratios:', ` one run, ${date}, commit ${commit} | measured by |`],
    [
      '| an answer after 10 MB of prose is found in',
      ` ${ratio(prose('whole / search'))} times the time of one \`indexOf\` | [benchmark](bench/limits.json) |`,
    ],
    [
      '| `run()` with a worktree and a merge takes',
      ` ${ratio(merge('/ by hand'))} times the same git commands by hand | [benchmark](bench/limits.json) |`,
    ],
    [
      '| values that get the same result as from a reference JSON Schema validator:',
      ` ${values} | [benchmark](docs/bench.md#real-schemas) |`,
    ],
  ];
  return rows.map(([start, rest]) => [start, start + rest]);
}

/** Lines of `docs/beside-others.md` with figures of other libraries. */
export function besideLines(run: WholeRun): readonly Line[] {
  const merge = rowOf(run, 'run-overhead', 'run()', 'merge-to-head', 'sandcastle');
  const prose = rowOf(run, 'extraction-run', 'run()', 'prose, then the answer', '1.00');
  const partial = rowOf(run, 'partials', 'Partial', '128 KiB', 'ai parsePartialJson');
  const call = (wire: string): string =>
    ratio(rowOf(run, 'generate', 'One call', wire, 'generate(), native')('/ bare'));
  const rows: readonly (readonly [start: string, rest: string, bench: string, heading: string])[] = [
    [
      '| `run()` with a worktree and a merge: Sandcastle takes',
      `${ratio(merge('/ truecast'))} times as long`,
      'run-overhead',
      'runs',
    ],
    [
      '| `run()` of a program that prints 1 MB of prose: Sandcastle takes',
      `${ratio(prose('sandcastle / truecast'))} times as long`,
      'extraction-run',
      'answers-and-schemas',
    ],
    [
      '| partial values of 128 KiB: the parser of `ai` takes',
      `${ratio(partial('/ truecast'))} times as long`,
      'partials',
      'answers-and-schemas',
    ],
    [
      '| one `generate()` call over HTTP:',
      `${call('a server on loopback')} times \`generateText()\`, and ${call('a server on loopback that streams')} times from a server that streams`,
      'generate',
      'model-calls',
    ],
  ];
  return rows.map(([start, figure, bench, heading]) => [
    start,
    `${start} [${figure}](bench.md#${heading}) | \`npm run bench -- --only ${bench}\` |`,
  ]);
}

/** Replaces each line of a page that begins like one with figures. Throws if the page lacks it. */
export function replaceLines(page: string, lines: readonly Line[]): string {
  return lines.reduce((text, [start, line]) => {
    const before = text.split('\n');
    const index = before.findIndex((each) => each.startsWith(start));
    if (index < 0) throw new Error(`The page has no line that begins with \`${start}\`.`);
    return before.with(index, line).join('\n');
  }, page);
}

function answerLines(run: WholeRun): readonly string[] {
  const ordinary = (...labels: string[]): Cells => rowOf(run, 'extraction', 'ordinary', ...labels);
  const prose = ordinary('prose, then the answer', '10.0');
  const mention = ordinary('tag mentioned early', '100');
  const small = ordinary('many small answers', '10.0');
  const payload = ordinary('one large payload', '8.00');
  const masking = (name: string): Cells => rowOf(run, 'masking', 'masking', name);
  const memory = (size: string): Cells => rowOf(run, 'memory', 'peak', 'truecast scanner', size);
  const tagged = (size: string): Cells =>
    rowOf(run, 'extraction-run', 'run()', 'prose, then the answer', size);
  const partial = (name: string): Cells => rowOf(run, 'partials', 'Partial', '128 KiB', name);
  const schema = (engine: string): Cells => rowOf(run, 'schema', 'ordinary', engine);
  const compile = (engine: string): number => numberOf(schema(engine)('compile mean'));
  const request = (engine: string): string => ratio(schema(engine)('request / truecast'));
  return [
    `| find an answer after 10 MB of prose | ${ms(prose('whole, ms'))} (${speed(prose('whole MB/s'))}) | ${ratio(prose('whole / search'))} times as long as one \`indexOf\` pass. ${ratio(mention('whole / search'))} times if the text mentions the tag earlier, because that needs two searches |`,
    `| parse many small answers in 10 MB of text | ${ms(small('whole, ms'))} | ${ratio(small('whole / search'))} times as long as one \`indexOf\` pass, which parses nothing |`,
    `| parse and validate one 8 MB JSON payload | ${ms(payload('whole, ms'))} (${speed(payload('whole MB/s'))}) | \`JSON.parse\` alone is two to four times as fast |`,
    `| mask secrets in 20 MB of prose, and of JSON | ${ms(masking('prose')('whole, ms'))} and ${ms(masking('JSON')('whole, ms'))} | ${ratio(masking('prose')('whole / search'))} and ${ratio(masking('JSON')('whole / search'))} times as long as one \`indexOf\` pass for one secret |`,
    `| memory of the scanner after 10 and 100 MB | ${memory('10')('grown by, MB')} and ${memory('100')('grown by, MB')} MB | almost constant |`,
    `| \`run()\` of a program that prints 0.1 MB of prose | ${ms(tagged('0.100')('truecast, ms'))} | \`@ai-hero/sandcastle\` 0.12.0 takes ${ratio(tagged('0.100')('sandcastle / truecast'))} times as long, and ${ratio(tagged('1.00')('sandcastle / truecast'))} times at 1 MB |`,
    `| parse partial values of 128 KiB, 16 characters at a time | ${ms(partial('truecast')('ms per stream'))} | \`ai\` takes ${ratio(partial('ai parsePartialJson')('/ truecast'))} times as long, \`partial-json\` ${ratio(partial('partial-json')('/ truecast'))} times |`,
    `| compile an ordinary schema (689 bytes) | ${round(compile('truecast') / 1000)} ms | Ajv takes ${round(compile('ajv 8') / compile('truecast'))} times as long |`,
    `| compile the same schema and validate once | ${round(numberOf(schema('truecast')('request mean')) / 1000)} ms | Ajv takes ${request('ajv 8')} times as long, Zod ${request('zod 4 fromJSONSchema')}, TypeBox ${request('typebox 1.4')}, \`@cfworker/json-schema\` ${request('@cfworker/json-schema')} |`,
  ];
}

function runLines(run: WholeRun): readonly string[] {
  const row = (name: string, strategy: string): string => {
    const cells = (contestant: string): Cells => rowOf(run, 'run-overhead', 'run()', strategy, contestant);
    const ours = cells('truecast');
    return `| ${name} | ${ms(ours('ms per run'))} | ${ratio(ours('/ by hand'))}x the same git commands by hand. Sandcastle takes ${ratio(cells('sandcastle')('/ truecast'))} times as long as Truecast |`;
  };
  const inside = (strategy: string): Cells =>
    rowOf(run, 'run-sandboxed', 'run()', '50', strategy, 'truecast in bubblewrap');
  const [head, merge] = [inside('head'), inside('merge-to-head')];
  return [
    row('`run()`, worktree and merge', 'merge-to-head'),
    row('`run()`, named branch', 'branch'),
    row('`run()`, `head`', 'head'),
    `| \`run()\` in bubblewrap, \`head\` and worktree with merge | ${ms(head('ms per run'))} and ${ms(merge('ms per run'))} | ${round(numberOf(head('+ ms')))} and ${round(numberOf(merge('+ ms')))} ms more than without a sandbox |`,
  ];
}

function callLines(run: WholeRun): readonly string[] {
  const row = (name: string, contestant: string, peer: string): string => {
    const cells = (wire: string): Cells => rowOf(run, 'generate', 'One call', wire, contestant);
    const http = cells('a server on loopback');
    const streams = cells('a server on loopback that streams');
    const object = cells('a model object that answers at once');
    return `| ${name} | ${http('calls per second')} calls a second | ${ratio(http('/ bare'))} times as long as ${peer}. From a server that streams: ${ratio(streams('/ bare'))} times. Without HTTP: ${ratio(object('/ bare'))} times (${object('calls per second')} calls a second) |`;
  };
  const ledger = (kind: string, events: string): Cells => rowOf(run, 'ensemble', kind, events);
  const turns = ['1000', '10000', '100000'].map((events) =>
    round(numberOf(ledger('A ledger in memory', events)('us per turn'))),
  );
  const last = ledger('A ledger in memory', '100000');
  const file = ledger('A ledger in a file of SQLite', '1000');
  return [
    row(
      '`generate()`, native mode, over HTTP',
      'generate(), native',
      '`generateText` with `Output.object` of `ai` 7',
    ),
    row('`generate()`, json mode, over HTTP', 'generate(), json', 'the same bare call'),
    `| ledger in memory | ${turns.slice(0, 2).join(', ')} and ${turns[2] ?? ''} µs after 1,000, 10,000 and 100,000 events (${last('events per second')} events a second) | The cost of a turn does not grow with the run. Resuming a run of 100,000 events takes ${ms(last('ms to resume'))} |`,
    `| ledger in a SQLite file that syncs each event | ${round(numberOf(file('us per turn')) / 1000)} ms after 1,000 events (${file('events per second')} events a second) | A sync takes 0.2 to 5 ms on this disk |`,
  ];
}

function serverLines(run: WholeRun): readonly string[] {
  const turn = (contestant: string): Cells => rowOf(run, 'chat-overhead', 'A turn', contestant);
  const wire = (contestant: string): Cells => rowOf(run, 'chat-overhead', 'A completion', contestant);
  const shown = (cells: Cells): string => `${ms(cells('p50 ms'))} (${round(numberOf(cells('p99 ms')))})`;
  const over = (cells: Cells): string => `${shown(cells)}, ${ratio(cells('/ bare'))}x`;
  const rates = (database: string, processes: string): string =>
    ['1', '8', '32']
      .map((clients) => rowOf(run, 'chat-throughput', 'Turns', database, processes, clients))
      .map((cells) => round(numberOf(cells('turns per second'))))
      .join(', ');
  const stream = (database: string): Cells => rowOf(run, 'chat-streams', 'Open streams', database, '1000');
  const [sqlite, postgres] = [stream('SQLite'), stream('Postgres')];
  const growth = (messages: string): Cells => rowOf(run, 'chat-growth', 'A chat', messages);
  const growthRow = (messages: string, shownMessages: string): string => {
    const cells = growth(messages);
    return `| ${shownMessages} | ${ms(cells('ms a turn'))} | ${ms(cells('ms bare'))} | ${ms(cells('ms to load'))} |`;
  };
  return [
    `| a turn with a \`response_format\` over HTTP, from creation to receipt | ${shown(turn('bare, streamText of `ai`'))} with \`streamText\` of \`ai\` | ${over(turn('a turn, SQLite'))} | ${over(turn('a turn, Postgres'))} |`,
    `| \`POST /v1/chat/completions\` with a schema | ${shown(wire('bare, client of `openai`'))} with the client of \`openai\` | ${over(wire('POST /v1/chat/completions'))} | same as SQLite: this route stores nothing |`,
    `| 1 | 1, 8, 32 | ${rates('SQLite', '1')} | ${rates('SQLite, 1 ms a sync', '1')} | ${rates('Postgres', '1')} |`,
    `| 2 | 1, 8, 32 | | | ${rates('Postgres', '2')} |`,
    `| 4, more than cores | 1, 8, 32 | | | ${rates('Postgres', '4')} |`,
    `| time to the last event | ${round(numberOf(sqlite('s to last')))} s | ${round(numberOf(postgres('s to last')))} s |`,
    `| events per second | ${sqlite('events per second')} | ${postgres('events per second')} |`,
    `| resident memory per stream | ${round(numberOf(sqlite('KB each')))} KB | ${round(numberOf(postgres('KB each')))} KB |`,
    growthRow('10', '10'),
    growthRow('100', '100'),
    growthRow('1000', '1,000'),
    growthRow('10000', '10,000'),
  ];
}

function schemaLines(run: WholeRun): readonly string[] {
  const engine = (name: string): Cells => rowOf(run, 'schema-corpus', '32 real', name);
  const ours = engine('truecast');
  const row = (shown: string, name: string): string => {
    const cells = engine(name);
    return `| ${shown} | ${cells('compiled')} | ${grouped(cells('as the oracle'))} | ${ratio(cells('request / truecast'))}x |`;
  };
  const milliseconds = (column: string): string => `${round(numberOf(ours(column)) / 1000)} ms`;
  return [
    `| truecast | ${ours('compiled')} of 32 | ${grouped(ours('as the oracle'))} | 1x; mean ${milliseconds('mean')}, p99 ${milliseconds('p99')}, max ${milliseconds('max')} (529 KB) |`,
    row('TypeBox 1.4', 'typebox 1.4'),
    row('Ajv 8 (without drafts 04 and 06)', 'ajv 8'),
    row('`@cfworker/json-schema` (no limit on work)', '@cfworker/json-schema'),
    row('`@exodus/schemasafe`', '@exodus/schemasafe'),
    `| \`@hyperjump/json-schema\` (reference) | 32 | | ${ratio(engine('@hyperjump/json-schema (oracle)')('request / truecast'))}x |`,
  ];
}

function hostileLine(run: WholeRun): string {
  const rows = run.reports.find(({ name }) => name === 'schema-hostile')?.tables[0]?.rows ?? [];
  const [slowest, second] = rows; // Highest first.
  const shown = (row: readonly string[] | undefined): string =>
    `${row?.[0] ?? ''} (${round(numberOf(row?.[2] ?? ''))} ms cold, ${round(numberOf(row?.[4] ?? ''))} ms warm)`;
  const largest = Math.max(...rows.map((row) => numberOf(row[3] ?? '')));
  return `The largest single value was ${round(largest)} ms. The slowest, as medians: ${shown(slowest)} and ${shown(second)}.`;
}

/** Finds a row by the beginning of its table's title and its first cells. */
function rowOf(run: WholeRun, bench: string, title: string, ...labels: readonly string[]): Cells {
  const table = run.reports
    .find(({ name }) => name === bench)
    ?.tables.find((each) => each.title.startsWith(title));
  const row = table?.rows.find((cells) => labels.every((label, index) => cells[index] === label));
  return (column) => {
    const cell = row?.[table?.columns.indexOf(column) ?? -1];
    if (cell === undefined) throw new Error(`No figure: ${[bench, title, ...labels, column].join(' | ')}.`);
    return cell;
  };
}

/** Reads the first number of a cell, such as the median of `4.7 (4.1 to 6.0)`. */
function numberOf(cell: string): number {
  return Number(/[\d.,]+/u.exec(cell)?.[0].replaceAll(',', ''));
}

function round(value: number): string {
  if (value >= 10) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(2)));
}

function ms(cell: string): string {
  return `${round(numberOf(cell))} ms`;
}

/** A ratio without its `x`: 1.06, 12.3, 1,274. */
function ratio(cell: string): string {
  return cell.replace(/x$/u, '');
}

function speed(megabytesPerSecond: string): string {
  const value = numberOf(megabytesPerSecond);
  return value >= 1000 ? `${(value / 1000).toFixed(1)} GB/s` : `${round(value)} MB/s`;
}

/** `1280 of 1280` with separators of thousands. */
function grouped(counts: string): string {
  return counts.replaceAll(/\d+/gu, (digits) => Number(digits).toLocaleString('en-US'));
}
