/** Long right answers that repeat themselves: none of them may be ended. Held corpus of the detector. */
import { Buffer } from 'node:buffer';

export interface RightAnswer {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
  /** Strings of its schema's enums. */
  readonly known?: readonly string[];
}

/** Each value is written in three ways. */
function written(name: string, value: unknown, known: readonly string[] = []): readonly RightAnswer[] {
  const shared = { isJson: true, known };
  return [
    { name: `${name}, one line`, text: JSON.stringify(value), ...shared },
    { name: `${name}, two blanks`, text: JSON.stringify(value, null, 2), ...shared },
    { name: `${name}, tabs, in a field`, text: JSON.stringify({ answer: value }, null, '\t'), ...shared },
  ];
}

/** A text by itself, and as a field of an answer. */
function said(name: string, text: string): readonly RightAnswer[] {
  return [
    { name: `${name}, as text`, text, isJson: false },
    { name: `${name}, in a field`, text: JSON.stringify({ text }), isJson: true },
    { name: `${name}, in a list`, text: JSON.stringify([{ id: 1, text }], null, 2), isJson: true },
  ];
}

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const lines = (count: number, make: (index: number) => string): string => times(count, make).join('\n');

/** A generator with a seed: the corpus is the same each time. */
function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

function bytes(count: number, seed: number): Buffer {
  const next = noise(seed);
  return Buffer.from(times(count, () => Math.floor(next() * 256)));
}

const zeros = (count: number): Buffer => Buffer.alloc(count);
const hexDump = (data: Buffer): string =>
  lines(Math.ceil(data.length / 16), (row) => {
    const part = data.subarray(row * 16, row * 16 + 16);
    const shown = part.toString('hex').replaceAll(/../gu, '$& ');
    return `${(row * 16).toString(16).padStart(8, '0')}  ${shown} |${'.'.repeat(part.length)}|`;
  });
const nested = (depth: number): unknown => (depth === 0 ? 'end' : { child: nested(depth - 1) });
const WORDS = 'the harbor office keeps a list of boats that leave at night and come back late'.split(' ');
const sentence = (seed: number): string => {
  const next = noise(seed);
  return times(9, () => WORDS[Math.floor(next() * WORDS.length)]).join(' ');
};
const cell = (row: number, column: number): string => String((row * 7 + column * 3) % 100);

const LISTS: readonly (readonly RightAnswer[])[] = [
  written(
    '1,000 zeros',
    times(1_000, () => 0),
  ),
  written(
    '1,000 equal fractions',
    times(1_000, () => 0.25),
  ),
  written(
    '1,000 negative ones',
    times(1_000, () => -1),
  ),
  written(
    '1,000 times true',
    times(1_000, () => true),
  ),
  written(
    '500 times null',
    times(500, () => null),
  ),
  written(
    'a chessboard of 40',
    times(40, (row) => times(40, (column) => (row + column) % 2)),
  ),
  written(
    'a zero matrix of 32',
    times(32, () => times(32, () => 0)),
  ),
  written(
    'a unit matrix of 30',
    times(30, (row) => times(30, (column) => Number(row === column))),
  ),
  written(
    'an image of 28 black rows',
    times(28, () => times(28, () => 0)),
  ),
  written(
    'a matrix of false',
    times(30, () => times(30, () => false)),
  ),
  written(
    '300 empty lists',
    times(300, () => []),
  ),
  written(
    '300 empty objects',
    times(300, () => ({})),
  ),
  written(
    '300 empty strings',
    times(300, () => ''),
  ),
  written(
    '300 dashes',
    times(300, () => '-'),
  ),
  written(
    '400 labels of an enum',
    times(400, () => 'negative'),
    ['positive', 'negative'],
  ),
  written(
    '400 rows with one label',
    times(400, () => ({ label: 'spam', score: 1 })),
    ['spam', 'ham'],
  ),
  written(
    '300 free seats',
    times(300, () => ({ free: true, row: 0 })),
  ),
  written(
    '50 equal objects',
    times(50, () => ({ name: 'Pier 4', state: 'open', notes: 'nothing to report' })),
  ),
  written(
    '60 equal words',
    times(60, () => 'neutral'),
  ),
  written(
    '45 equal sentences',
    times(45, () => 'The inspector found nothing to report on this day.'),
  ),
  written('weekdays of 30 weeks', times(30, () => ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']).flat()),
  written(
    '700 numbers in turn',
    times(700, (index) => index),
  ),
  written(
    '300 points',
    times(300, (index) => ({ x: index, y: 0, z: 0 })),
  ),
  written(
    '200 records',
    times(200, (index) => ({ id: index, name: `Boat ${index}`, tags: [], owner: null })),
  ),
  written(
    'a sparse vector',
    times(1_500, (index) => (index % 97 === 0 ? 1 : 0)),
  ),
  written('a map of 300 zeros', Object.fromEntries(times(300, (index) => [`key_${index}`, 0]))),
  written('40 levels', nested(40)),
  written(
    '200 decimals',
    times(200, (index) => index / 8),
  ),
  written(
    'big numbers in strings',
    times(40, (index) => '1234567890'.repeat(10 + index)),
  ),
  written('a power of two in a string', { wei: (2n ** 4_000n).toString() }),
];

const TEXTS: readonly (readonly RightAnswer[])[] = [
  said('base64 of noise', bytes(6_000, 1).toString('base64')),
  said('base64 of zeros', zeros(6_000).toString('base64')),
  said('base64 of a repeated block', Buffer.from('block of a disk '.repeat(300)).toString('base64')),
  said('hexadecimal digits of zeros', zeros(3_000).toString('hex')),
  said('bytes of a file', bytes(2_000, 2).toString('hex').replaceAll(/../gu, '$& ')),
  said('zero bytes with blanks', '00 '.repeat(3_000)),
  said('a dump of noise', hexDump(bytes(2_000, 3))),
  said('a dump of zeros', hexDump(zeros(2_000))),
  said('an array in C', `{ ${'0x00, '.repeat(1_500)} };`),
  said('an array of literals', `[${'null, '.repeat(1_500)}]`),
  said('escapes', '\\u0000'.repeat(800)),
  said('an empty table', `| a | b |\n|---|---|\n${'|   |   |\n'.repeat(300)}`),
  said(
    'a table of numbers',
    lines(150, (row) => `| ${times(8, (column) => cell(row, column)).join(' | ')} |`),
  ),
  said(
    'a table of zeros',
    lines(200, () => `| ${times(8, () => '0').join(' | ')} |`),
  ),
  said(
    'CSV of zeros',
    lines(300, () => times(16, () => '0').join(',')),
  ),
  said(
    'CSV of nothing',
    lines(400, () => ','.repeat(12)),
  ),
  said(
    'CSV of records',
    lines(200, (row) => `${row},Boat ${row},open,,,`),
  ),
  said(
    'rules of Markdown',
    lines(20, (row) => `Part ${row}\n${'-'.repeat(80)}`),
  ),
  said('a wide rule', '='.repeat(1_900)),
  said(
    'a table with padding',
    lines(60, (row) => `${String(row).padEnd(60)}|${'x'.padEnd(60)}|`),
  ),
  said(
    'a log with times',
    lines(200, (row) => `2026-11-27T00:${String(row).padStart(4, '0')}Z WARN retry of job`),
  ),
  said(
    'a log without times',
    lines(19, () => 'WARN the connection to the database was refused, trying again in one second'),
  ),
  said(
    'a log of attempts',
    lines(150, (row) => `attempt ${row}: connection refused, trying again`),
  ),
  said('prose', lines(60, sentence)),
  said(
    'a chorus',
    times(
      8,
      (verse) => `${sentence(verse)}\n${'Row, row, row your boat, gently down the stream.\n'.repeat(4)}`,
    ).join('\n'),
  ),
  said(
    'code',
    lines(120, (row) => `  if (value === ${row}) return names[${row}];`),
  ),
  said('minified code', times(200, (row) => `function f${row}(a){return a+${row}}`).join('')),
  said('empty cells in HTML', `<table>${`<tr>${'<td></td>'.repeat(20)}</tr>\n`.repeat(40)}</table>`),
  said('blanks in HTML', '&nbsp;'.repeat(600)),
  said('closing brackets', `${'(('.repeat(200)}1${'))'.repeat(200)}`),
  said(
    'a drawing',
    lines(40, () => `+${'-'.repeat(38)}+\n|${' '.repeat(38)}|`),
  ),
  said(
    'a sequence of genes',
    times(4_000, (index) => 'ACGT'.charAt((index * index + 3 * index) % 4)).join(''),
  ),
  said('a sequence of one gene', 'CAG'.repeat(1_200)),
  said('digits of a fraction', '142857'.repeat(800)),
  said(
    'dotted leaders',
    lines(40, (row) => `Chapter ${row} ${'.'.repeat(60)} ${row * 7}`),
  ),
  said(
    'a schedule',
    lines(200, (row) => `Day ${row}: nothing planned`),
  ),
  said('one line, hundred times', 'I must not run. '.repeat(110)),
  said(
    'Chinese',
    lines(80, (row) => `第${row}行：没有发现问题`),
  ),
  said(
    'coordinates',
    lines(300, (row) => `v ${row}.000000 0.000000 0.000000`),
  ),
  said('a path of SVG', `M0 0${' l0 0'.repeat(1_500)}`),
];

/** The corpus: more than 200 answers. */
export const RIGHT_ANSWERS: readonly RightAnswer[] = [...LISTS, ...TEXTS].flat();
