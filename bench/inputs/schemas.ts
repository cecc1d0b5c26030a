/**
 * JSON Schemas of the schema bench: an ordinary and a large one, each with a valid and an invalid
 * value. Pure.
 */

export interface SchemaCase {
  readonly name: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly valid: unknown;
  readonly invalid: unknown;
}

const ORDINARY = {
  type: 'object',
  properties: {
    severity: { enum: ['low', 'medium', 'high'] },
    title: { type: 'string', minLength: 1, maxLength: 200 },
    labels: { type: 'array', items: { type: 'string', pattern: '^[a-z][a-z0-9-]*$' }, maxItems: 20 },
    plan: {
      type: 'object',
      properties: {
        files: { type: 'array', items: { type: 'string', minLength: 1 } },
        steps: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              action: { enum: ['edit', 'create', 'delete'] },
              lines: { type: 'integer', minimum: 0 },
            },
            required: ['action'],
            additionalProperties: false,
          },
        },
        isRisky: { type: 'boolean' },
      },
      required: ['files', 'steps'],
      additionalProperties: false,
    },
  },
  required: ['severity', 'title', 'plan'],
  additionalProperties: false,
};

const ORDINARY_VALID = {
  severity: 'high',
  title: 'The lock is taken twice',
  labels: ['bug', 'git', 'needs-test'],
  plan: {
    files: ['src/run/lock.ts', 'src/run/lock.test.ts'],
    steps: [{ action: 'edit', lines: 12 }, { action: 'create' }],
    isRisky: false,
  },
};

/**
 * About `sections` times the ordinary schema. Each section refers to shared definitions and has its
 * own alternatives.
 */
function makeLarge(sections: number): SchemaCase {
  const names = Array.from({ length: sections }, (_, index) => `section_${index}`);
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $defs: {
      name: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_.-]*$', maxLength: 64 },
      amount: { type: 'number', minimum: 0, maximum: 1_000_000 },
    },
    type: 'object',
    properties: Object.fromEntries(names.map((name, index) => [name, makeSection(index)])),
    required: names,
    additionalProperties: false,
  };
  const valid = Object.fromEntries(names.map((name) => [name, SECTION_VALID]));
  const invalid = { ...valid, [names.at(-1) ?? '']: { ...SECTION_VALID, kind: 'neither' } };
  return { name: 'large', schema, valid, invalid };
}

function makeSection(index: number): unknown {
  return {
    type: 'object',
    description: `Section ${index} of the report: what was found there, where, and what it costs to mend, if that is known by now.`,
    properties: {
      name: { $ref: '#/$defs/name' },
      kind: { enum: ['defect', 'question', 'improvement', `special-${index}`] },
      cost: { $ref: '#/$defs/amount' },
      place: {
        type: 'object',
        properties: { path: { type: 'string', minLength: 1 }, line: { type: 'integer', minimum: 1 } },
        required: ['path'],
        additionalProperties: false,
      },
      owner: { anyOf: [{ type: 'null' }, { $ref: '#/$defs/name' }] },
      tags: { type: 'array', items: { $ref: '#/$defs/name' }, minItems: 1, maxItems: 10 },
    },
    required: ['name', 'kind', 'place', 'tags'],
    additionalProperties: false,
  };
}

const SECTION_VALID = {
  name: 'lock.take',
  kind: 'defect',
  cost: 120.5,
  place: { path: 'src/run/lock.ts', line: 40 },
  owner: null,
  tags: ['git', 'locks'],
};

/** The cases of the bench, the smaller one first. */
export const SCHEMA_CASES: readonly SchemaCase[] = [
  {
    name: 'ordinary',
    schema: ORDINARY,
    valid: ORDINARY_VALID,
    invalid: { ...ORDINARY_VALID, severity: 'urgent', labels: ['Bug'] },
  },
  makeLarge(11),
];

/** The schema as a request would contain it: parsed anew, with unique text. */
export function distinctSchema({ schema }: SchemaCase, index: number): Record<string, unknown> {
  const copy = JSON.parse(JSON.stringify({ ...schema, $comment: `request ${index}` })) as Record<
    string,
    unknown
  >; // An object was just written.
  return copy;
}
