import { expect, it } from 'vitest';
import { matrixColumns, matrixRuns } from '../matrix.ts';
import { callsOf, LOWERED_DIALECTS, outcomeOf } from './every-export.ts';
import { generateSchema } from './generate-schemas.ts';
import { COSTLY } from './costly-schemas.ts';

/** The long form is `npm run fuzz:schemas`. */
const COUNT = matrixRuns(20, 60);

it('every export accepts any schema of 16 KiB, or rejects it with a typed error', () => {
  const outcomes = new Map<string, number>();
  for (let seed = 0; seed < COUNT; seed += 1) {
    for (const call of callsOf(generateSchema(seed).schema)) {
      const outcome = outcomeOf(call);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  expect(outcomes.get('ok')).toBeGreaterThan(COUNT * 4);
});

// All dialects of each: `packages/server/src/format/dry-run.test.ts`.
it.each(COSTLY.map((costly, row) => ({ ...costly, row })))(
  'every export ends for $name',
  ({ schema, row }) => {
    const dialects = matrixColumns(row, LOWERED_DIALECTS, { rows: COSTLY.length });
    for (const call of callsOf(schema, dialects)) {
      expect(['ok', 'too-much-work', 'unsupported', 'too-many-nodes', 'too-large']).toContain(
        outcomeOf(call),
      );
    }
  },
);
