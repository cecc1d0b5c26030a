/**
 * Writes and checks the table of `docs/schemas.md`: what each dialect does with each part of a schema.
 *
 * This test writes the table: `npx vitest run test/docs/schema-forms.test.ts --update=all`.
 */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { lowerJsonSchema } from '../../packages/core/src/schema/dialects/lower-json-schema.ts';
import {
  DIALECTS,
  type SchemaDialect,
} from '../../packages/core/src/schema/dialects/profiles/dialect-profile.ts';
import type { JsonSchema } from '@truecast/core/internal/schema/engine/read-schema';
import { readPage } from './page-snippets.ts';

const PAGE = 'docs/schemas.md';
const TABLE = /(?<=<!-- forms by dialect -->\n)[\s\S]*?(?=<!-- end of forms -->)/u;

/** An object with one required property. */
const withProperty = (part: JsonSchema): Exclude<JsonSchema, boolean> => ({
  type: 'object',
  properties: { part },
  required: ['part'],
  additionalProperties: false,
});

/** Parts of a schema: an example, and the keyword that reports what became of it. */
const PARTS: readonly (readonly [name: string, keyword: string, schema: JsonSchema])[] = [
  [
    'optional property',
    'required',
    { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: false },
  ],
  ['map', 'additionalProperties', withProperty({ type: 'object', additionalProperties: { type: 'number' } })],
  [
    'tuple',
    'prefixItems',
    withProperty({
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      items: false,
      minItems: 2,
    }),
  ],
  ['array or union at the root', 'type', { type: 'array', items: { type: 'string' } }],
  ['`oneOf`', 'oneOf', withProperty({ oneOf: [{ type: 'string' }, { type: 'number' }] })],
  ['`allOf`', 'allOf', withProperty({ allOf: [{ type: 'string' }, { title: 'Name' }] })],
  [
    'recursion',
    '$ref',
    {
      ...withProperty({ $ref: '#/$defs/node' }),
      $defs: {
        node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false },
      },
    },
  ],
  ['a value of any type', 'type', withProperty({})],
  ['`minLength`, `maxLength`', 'minLength', withProperty({ type: 'string', minLength: 2 })],
  ['`pattern`', 'pattern', withProperty({ type: 'string', pattern: '^a+$' })],
  ['`format`', 'format', withProperty({ type: 'string', format: 'date' })],
  ['`minimum`, `maximum`', 'minimum', withProperty({ type: 'integer', minimum: 2 })],
  ['`exclusiveMinimum`', 'exclusiveMinimum', withProperty({ type: 'integer', exclusiveMinimum: 2 })],
  ['`multipleOf`', 'multipleOf', withProperty({ type: 'integer', multipleOf: 2 })],
  [
    '`minItems`, `maxItems`',
    'minItems',
    withProperty({ type: 'array', items: { type: 'string' }, minItems: 2 }),
  ],
  [
    '`uniqueItems`',
    'uniqueItems',
    withProperty({ type: 'array', items: { type: 'string' }, uniqueItems: true }),
  ],
];

function cellOf(schema: JsonSchema, keyword: string, dialect: SchemaDialect): string {
  const { changes, losses } = lowerJsonSchema(schema, dialect);
  const change = changes.find((one) => one.keyword === keyword);
  if (losses.some((one) => one.keyword === keyword)) return 'lost';
  return change?.form ?? 'unchanged';
}

/** The cells of each dialect. Dialects with the same cells share a column. */
function formsTable(): string {
  const columns = new Map<string, { names: string[]; cells: string[] }>();
  for (const dialect of DIALECTS) {
    const cells = PARTS.map(([, keyword, schema]) => cellOf(schema, keyword, dialect));
    const column = columns.get(cells.join('|')) ?? { names: [], cells };
    column.names.push(`\`${dialect}\``);
    columns.set(cells.join('|'), column);
  }
  const all = [...columns.values()];
  const rows = PARTS.map(([name], at) => [name, ...all.map(({ cells }) => cells[at] ?? '')]);
  const head = ['', ...all.map(({ names }) => names.join(', '))];
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

it('says what each dialect does with each part of a schema', async () => {
  const path = fileURLToPath(new URL(`../../${PAGE}`, import.meta.url));
  expect(readPage(PAGE)).toMatch(TABLE);
  await expect(readPage(PAGE).replace(TABLE, () => formsTable())).toMatchFileSnapshot(path);
});
