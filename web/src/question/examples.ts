/** Questions of the start page that show the range: a bug, an invoice, an issue, and a pasted text. */
import type { Question } from './question.ts';

export interface Example {
  readonly title: string;
  readonly about: string;
  readonly question: Question;
}

interface Asked {
  readonly message: string;
  readonly name: string;
  readonly properties: Readonly<Record<string, object>>;
}

function asked({ message, name, properties }: Asked): Question {
  const required = Object.keys(properties);
  const schema = { type: 'object', properties, required, additionalProperties: false };
  return { message, name, schemaText: JSON.stringify(schema, undefined, 2) };
}

/** The first one is the draft of a new browser. */
export const EXAMPLES: readonly [Example, ...Example[]] = [
  {
    title: 'Find a bug',
    about: 'Which file has the bug, and where?',
    question: asked({
      message: 'Which file has the bug, and where?',
      name: 'bug',
      properties: {
        file: { type: 'string', examples: ['src/loop.ts'] },
        line: { type: 'integer', minimum: 1 },
        why: { type: 'string', examples: ['The loop runs once too often.'] },
      },
    }),
  },
  {
    title: 'Read an invoice',
    about: 'List the items and the total.',
    question: asked({
      message: 'Read this invoice.\n\nInvoice 2026-118\n2 keyboards, 49.00 each\n1 cable, 9.50\nTotal 107.50',
      name: 'invoice',
      properties: {
        number: { type: 'string', examples: ['2026-118'] },
        items: {
          type: 'array',
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, price: { type: 'number', minimum: 0 } },
            required: ['name', 'price'],
            additionalProperties: false,
          },
          examples: [
            [
              { name: 'keyboard', price: 49 },
              { name: 'cable', price: 9.5 },
            ],
          ],
        },
        total: { type: 'number', minimum: 0, examples: [107.5] },
      },
    }),
  },
  {
    title: 'Triage an issue',
    about: 'How severe is it, and which area owns it?',
    question: asked({
      message: 'Triage this issue.\n\nThe importer drops the last row of a CSV file with a trailing comma.',
      name: 'triage',
      properties: {
        severity: { enum: ['low', 'medium', 'high'] },
        area: { type: 'string', examples: ['importer'] },
        labels: { type: 'array', items: { type: 'string' }, examples: [['bug', 'csv']] },
      },
    }),
  },
  {
    title: 'Extract from text',
    about: 'Paste a contract, get its parties.',
    question: asked({
      message:
        'Extract the parties, the start and the rent.\n\nThe landlord lets the flat to the tenant from 1 March 2027, for 940 a month.',
      name: 'lease',
      properties: {
        parties: { type: 'array', items: { type: 'string' }, examples: [['landlord', 'tenant']] },
        starts: { type: 'string', format: 'date', examples: ['2027-03-01'] },
        rent: { type: 'number', minimum: 0, examples: [940] },
      },
    }),
  },
];
