/** Unknown options: named, with the nearest known one. */
import { expect, it } from 'vitest';
import { UsageError } from '../errors/usage-error.ts';
import { assertKnownOptions, gotUnknown } from './known-options.ts';

const names = { maxCorrections: true, prompt: true, env: true } as const;

it.each([
  [{ maxRetry: 1 }, 'Expected only known options of `run()`, got `maxRetry`. Did you mean `maxCorrections`?'],
  [
    { files: [] },
    'Expected only known options of `run()`, got `files`. Remove it, or use one of maxCorrections, prompt, env.',
  ],
  [
    // Not a name of an option, but of every object.
    { constructor: 1 },
    'Expected only known options of `run()`, got `constructor`. Remove it, or use one of maxCorrections, prompt, env.',
  ],
  [
    'prompt',
    'Expected an object of options for `run()`, got `"prompt"` (string). Options of `run()` are maxCorrections, prompt, env.',
  ],
  [
    [],
    'Expected an object of options for `run()`, got `[]` (array). Options of `run()` are maxCorrections, prompt, env.',
  ],
])('of %j are refused', (options, message) => {
  expect(() => assertKnownOptions(options, { of: '`run()`', names })).toThrow(new UsageError(message));
});

it('accepts each known option, and none', () => {
  expect(() => assertKnownOptions({ env: {}, prompt: undefined }, { of: '`run()`', names })).not.toThrow();
  expect(() => assertKnownOptions({}, { of: '`run()`', names })).not.toThrow();
});

it('keeps the code of its caller, and ends with its hint', () => {
  const context = {
    of: '`Output.object()`',
    names,
    hint: 'See the page.',
    code: 'invalid-definition',
  } as const;
  expect(() => assertKnownOptions({ promt: '' }, context)).toThrow(
    expect.objectContaining({
      code: 'invalid-definition',
      message:
        'Expected only known options of `Output.object()`, got `promt`. Did you mean `prompt`? See the page.',
    }),
  );
});

it('describes an unknown word with the nearest known one', () => {
  expect(gotUnknown('claud', ['claude-code', 'codex'])).toBe('got `claud`. Did you mean `claude-code`?');
  expect(gotUnknown('vim', ['claude-code', 'codex'])).toBe('got `vim`.');
});

it.each(['via', 'route'])('refuses the replaced name `%s` with the word of today', (old) => {
  const check = (): void => assertKnownOptions({ [old]: 'tool' }, { of: '`x()`', names: { mode: true } });
  expect(check).toThrow(`Expected only known options of \`x()\`, got \`${old}\`. Did you mean \`mode\`?`);
});
