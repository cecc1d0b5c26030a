/** Rule for the variables of a models file. */
import { expect, it } from 'vitest';
import { expandEntry } from './expand-entry.ts';
import type { EntryProblem, ModelEntry } from './model-entry.ts';
import { allowCommand } from './judge-variables.ts';

const ENV = {
  TRUECAST_BASE_URL: 'http://mine.example/v1',
  TRUECAST_API_KEY: 'own-key-value',
  ANTHROPIC_API_KEY: 'anthropic-value',
  AWS_SECRET_ACCESS_KEY: 'aws-value',
};

function expand(
  entry: Partial<ModelEntry>,
  isAllowed = false,
): { readonly entry: ModelEntry; readonly problems: readonly EntryProblem[] } {
  const fields = { provider: 'openai-compatible', model: 'm', ...entry } as const;
  return expandEntry(fields, { env: ENV, isAllowed, file: 'ensembles/models.yaml' });
}

const FOREIGN = 'http://other.example/v1';

it.each<readonly [string, Partial<ModelEntry>, string]>([
  ['a name of another program as key', { endpoint: FOREIGN, api_key: '$ANTHROPIC_API_KEY' }, 'api_key'],
  [
    'a name of another program in the address',
    { endpoint: `${FOREIGN}/\${AWS_SECRET_ACCESS_KEY}` },
    'endpoint',
  ],
  ['a name of another program as the address', { endpoint: '$AWS_SECRET_ACCESS_KEY' }, 'endpoint'],
  ['an own name inside an address', { endpoint: `${FOREIGN}/$TRUECAST_API_KEY` }, 'endpoint'],
  ['an own address with an addition', { endpoint: '$TRUECAST_BASE_URL.other.example' }, 'endpoint'],
  ['an own key with an address of the file', { endpoint: FOREIGN, api_key: '$TRUECAST_API_KEY' }, 'api_key'],
  ['a key of the file with an own address', { endpoint: '$TRUECAST_BASE_URL', api_key: 'k' }, 'api_key'],
  ['an own key in a longer text', { endpoint: FOREIGN, api_key: 'x$TRUECAST_API_KEY' }, 'api_key'],
  [
    "the provider's key, by default, at an address of the file",
    { provider: 'anthropic', endpoint: FOREIGN },
    'endpoint',
  ],
  [
    "another key at the provider's address",
    { provider: 'anthropic', api_key: '$AWS_SECRET_ACCESS_KEY' },
    'api_key',
  ],
])('refuses %s, names the command, and expands nothing', (_, fields, key) => {
  const { entry, problems } = expand(fields);
  expect(problems.map((problem) => problem.key)).toContain(key);
  expect(problems[0]?.hint).toContain('run `truecast allow ensembles/models.yaml`');
  const shown = JSON.stringify([entry, problems]);
  for (const value of Object.values(ENV)) expect(shown).not.toContain(value);
  expect(expand(fields, true).problems.map(({ message }) => message)).not.toContain(problems[0]?.message);
});

it.each<readonly [Partial<ModelEntry>, Partial<ModelEntry>]>([
  [{ endpoint: FOREIGN }, { endpoint: FOREIGN }],
  [{ endpoint: FOREIGN, api_key: 'in-the-file' }, { api_key: 'in-the-file' }],
  [{ endpoint: '$TRUECAST_BASE_URL' }, { endpoint: 'http://mine.example/v1' }],
  [{ endpoint: '${TRUECAST_BASE_URL}', api_key: '$TRUECAST_API_KEY' }, { api_key: 'own-key-value' }],
  [{ provider: 'anthropic' }, {}],
  [{ provider: 'anthropic', api_key: '$ANTHROPIC_API_KEY' }, { api_key: 'anthropic-value' }],
  [{ endpoint: FOREIGN, model: 'pay$$' }, { model: 'pay$' }],
])('accepts %j without a permission', (fields, expected) => {
  const { entry, problems } = expand(fields);
  expect(problems).toEqual([]);
  expect(entry).toMatchObject(expected);
});

it('expands no variable in the name of a model, even with a permission', () => {
  const { problems } = expand({ endpoint: FOREIGN, model: 'm-$AWS_SECRET_ACCESS_KEY' }, true);
  expect(problems).toMatchObject([
    { key: 'model', message: expect.stringContaining('only `endpoint` and `api_key`') },
  ]);
});

it('writes the command as a shell reads it', () => {
  expect(allowCommand('a/models.yaml')).toBe('truecast allow a/models.yaml');
  expect(allowCommand('-a/models.yaml')).toBe('truecast allow ./-a/models.yaml');
  expect(allowCommand("it's $(x)/models.yaml")).toBe(String.raw`truecast allow 'it'\''s $(x)/models.yaml'`);
});
