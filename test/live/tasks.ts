/** Tasks of the proof with real models: questions about a small project, each with one right typed answer. */
import { z } from 'zod';
import type { AnyOutputDefinition } from '../../packages/core/src/output/definition/definition.ts';
import { Output } from '../../packages/core/src/output/output.ts';

/** A question, the form of its answer, and the right one. */
export interface LiveTask {
  readonly name: string;
  readonly question: string;
  readonly output: AnyOutputDefinition;
  readonly right: unknown;
}

/** The project. Agents find it in their folder, and models in their prompt. */
export const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "name": "harbour", "version": "2.4.1", "license": "MIT", "private": true }\n',
  'README.md':
    '# Harbour\n\nThe lighthouse is at 59.9 north and 10.7 east. The café of “Naïve Anna” is beside it.\n',
  'tide.js': `const MAX_HEIGHT_CM = 412;

export function rise(hours) {
  return Math.min(MAX_HEIGHT_CM, hours * 30);
}

export function fall(hours) {
  // TODO: the ebb is slower.
  return Math.max(0, MAX_HEIGHT_CM - hours * 30);
}
`,
  'boats.csv': `date,boat,tons
2026-03-02,Ann,4
2026-03-02,Ben,7
2026-03-05,Ann,3
2026-03-09,Cod,12
2026-03-11,Ben,1
`,
  'config.yaml': `port: 8081
berth: K17
owner: Ida
backup_host: null
levels: [low, middle, high]
`,
};

const maxCorrections = 2;
const object = (schema: z.ZodType): AnyOutputDefinition => Output.object({ schema, maxCorrections });
const list = (element: z.ZodType): AnyOutputDefinition => Output.array({ element, maxCorrections });
const choice = (...options: readonly string[]): AnyOutputDefinition =>
  Output.choice({ options, maxCorrections });
const place = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('found'), line: z.int().positive() }),
  z.object({ kind: z.literal('missing') }),
]);

/** Twenty forms: numbers, choices, lists, maps, unions, tuples, dates, patterns, absent and null values. */
export const TASKS: readonly LiveTask[] = [
  {
    name: 'number',
    question: 'Which value has MAX_HEIGHT_CM in tide.js?',
    output: object(z.object({ height: z.number() })),
    right: { height: 412 },
  },
  {
    name: 'choice',
    question: 'Which license has package.json?',
    output: choice('MIT', 'Apache-2.0', 'ISC'),
    right: 'MIT',
  },
  {
    name: 'boolean',
    question: 'Does tide.js contain the keyword await?',
    output: object(z.object({ contains: z.boolean() })),
    right: { contains: false },
  },
  {
    name: 'list of texts',
    question: 'Which functions does tide.js export? Sort them by the alphabet.',
    output: list(z.string()),
    right: ['fall', 'rise'],
  },
  {
    name: 'nested object',
    question: 'Which version has package.json? Give its three numbers.',
    output: object(z.object({ version: z.object({ major: z.int(), minor: z.int(), patch: z.int() }) })),
    right: { version: { major: 2, minor: 4, patch: 1 } },
  },
  {
    name: 'date',
    question: 'What is the last date in boats.csv?',
    output: object(z.object({ last: z.iso.date() })),
    right: { last: '2026-03-11' },
  },
  {
    name: 'sum',
    question: 'How many tons do all rows of boats.csv have together?',
    output: object(z.object({ tons: z.int().nonnegative() })),
    right: { tons: 27 },
  },
  {
    name: 'choice by a sum',
    question: 'Which boat of boats.csv has the most tons in all its rows together?',
    output: choice('Ann', 'Ben', 'Cod'),
    right: 'Cod',
  },
  {
    name: 'null',
    question: 'Which value has backup_host in config.yaml? Null if it is null there.',
    output: object(z.object({ backupHost: z.string().nullable() })),
    right: { backupHost: null },
  },
  {
    name: 'absent member',
    question: 'Who are the owner and the deputy in config.yaml? Leave out whom it does not name.',
    output: object(z.object({ owner: z.string(), deputy: z.string().optional() })),
    right: { owner: 'Ida' },
  },
  {
    name: 'list of objects',
    question: 'List the rows of boats.csv of the boat Ben, in their order.',
    output: list(z.object({ date: z.iso.date(), tons: z.int() })),
    right: [
      { date: '2026-03-02', tons: 7 },
      { date: '2026-03-11', tons: 1 },
    ],
  },
  {
    name: 'map',
    question: 'How many rows has each boat in boats.csv? Map each name to the number.',
    output: object(z.object({ rows: z.record(z.string(), z.int()) })),
    right: { rows: { Ann: 2, Ben: 2, Cod: 1 } },
  },
  {
    name: 'union, first form',
    question: 'On which line of tide.js is the text TODO? The first line is 1.',
    output: object(place),
    right: { kind: 'found', line: 8 },
  },
  {
    name: 'union, second form',
    question: 'On which line of tide.js is the text FIXME? The first line is 1.',
    output: object(place),
    right: { kind: 'missing' },
  },
  {
    name: 'tuple',
    question: 'Where is the lighthouse of README.md? Give the degrees north, then east.',
    output: object(z.object({ at: z.tuple([z.number(), z.number()]) })),
    right: { at: [59.9, 10.7] },
  },
  {
    name: 'pattern',
    question: 'Which berth has config.yaml?',
    output: object(z.object({ berth: z.string().regex(/^[A-Z]\d{2}$/u) })),
    right: { berth: 'K17' },
  },
  {
    name: 'literal numbers',
    question: 'Which port has config.yaml?',
    output: object(z.object({ port: z.literal([8080, 8081]) })),
    right: { port: 8081 },
  },
  {
    name: 'bounded list',
    question: 'Which two levels of config.yaml come first, in their order?',
    output: object(z.object({ levels: z.array(z.enum(['low', 'middle', 'high'])).length(2) })),
    right: { levels: ['low', 'middle'] },
  },
  {
    name: 'quotes and accents',
    question: 'Copy the last sentence of README.md, with its full stop.',
    output: object(z.object({ sentence: z.string() })),
    right: { sentence: 'The café of “Naïve Anna” is beside it.' },
  },
  {
    name: 'several members',
    question:
      'How many lines has config.yaml, and which names of boats occur in boats.csv, in the order of the alphabet?',
    output: object(z.object({ lines: z.int(), boats: z.array(z.string()) })),
    right: { lines: 5, boats: ['Ann', 'Ben', 'Cod'] },
  },
];
