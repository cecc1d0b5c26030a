/** Checks the verdicts on exceptions of a schema, and the order of its issues. */
import { describe, expect, it } from 'vitest';
import { SchemaError } from '../../errors/schema-error.ts';
import { Output } from '../output.ts';
import { normalizeIssues } from './validate-by-schema.ts';
import { validateElement, validateValue, verdictOf } from './validate-value.ts';

type Validate = (value: unknown) => unknown;
const schemaOf = (validate: Validate) =>
  ({ '~standard': { version: 1, vendor: 'test', validate: validate as never } }) as const;

describe('an exception of a schema', () => {
  it('is a fault of the schema', async () => {
    const cause = new TypeError('broken');
    const schema = schemaOf(() => {
      throw cause;
    });
    const failed = { type: 'failed', cause };
    expect(await validateValue(1, Output.object({ schema }))).toEqual(failed);
    expect(await validateElement(1, 0, schema)).toEqual(failed);
    const other = new SchemaError('no', { code: 'unsupported', path: [] });
    expect(verdictOf(other)).toEqual({ type: 'failed', cause: other });
  });

  it('is a fault of the answer if the answer is nested too deeply', () => {
    const cause = new SchemaError('deep', { code: 'too-deep', path: ['a', 0] });
    expect(verdictOf(cause)).toEqual({
      type: 'rejected',
      issues: [{ path: ['a', 0], message: 'Expected a value with less nesting. Send a flatter answer' }],
      cause,
    });
  });
});

describe('an element', () => {
  it.each([
    ['at once', (value: unknown) => ({ value: [value] })],
    ['later', async (value: unknown) => ({ value: [value] })],
  ])('is accepted by a schema that answers %s', async (_when, validate) => {
    expect(await validateElement(7, 3, schemaOf(validate))).toEqual({ type: 'accepted', value: [7] });
  });

  it('is rejected with its index before each path, and with a reason in any case', async () => {
    const issues = [{ message: 'b', path: ['b'] }, { message: 'a' }];
    const verdict = await validateElement(
      7,
      3,
      schemaOf(() => ({ issues })),
    );
    expect(verdict).toEqual({
      type: 'rejected',
      issues: [
        { path: [3], message: 'a' },
        { path: [3, 'b'], message: 'b' },
      ],
      cause: [
        { path: [3, 'b'], message: 'b' },
        { path: [3], message: 'a' },
      ],
    });
    expect(
      await validateElement(
        7,
        3,
        schemaOf(() => ({ issues: [] })),
      ),
    ).toMatchObject({
      issues: [{ path: [3], message: 'Rejected without a reason' }],
    });
  });
});

it('issues are ordered by path: indexes before names, a path before its children', () => {
  const paths = [['b'], ['a', 10], ['a', 9, 'x'], ['a', 9], ['a', 'x'], [], [1], ['a', { key: 'k' }]];
  const issues = paths.map((path) => ({ path, message: JSON.stringify(path) }));
  expect(normalizeIssues(issues, ['root']).map(({ path }) => path.slice(1))).toEqual([
    [],
    [1],
    ['a', 9],
    ['a', 9, 'x'],
    ['a', 10],
    ['a', 'k'],
    ['a', 'x'],
    ['b'],
  ]);
});

it('a symbol in a path is shown by its description', () => {
  const [issue] = normalizeIssues([{ path: [Symbol('a'), Symbol(), 'b'], message: 'no' }]);
  expect(issue).toEqual({ path: ['a', '', 'b'], message: 'no' });
});
