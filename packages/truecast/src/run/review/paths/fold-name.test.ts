import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldName, foldPath } from './fold-name.ts';

/** Code points that HFS+ ignores. */
const IGNORED = ['\u200C', '\u200D', '\u200E', '\u202A', '\u202E', '\u206A', '\u206F', '\uFEFF'];

describe('foldName', () => {
  it.each([
    ['.GIT', '.git'],
    ['.gIt', '.git'],
    ['.g\u200Cit', '.git'],
    ['\uFEFF.git\u206F', '.git'],
    ['.git.', '.git'],
    ['.git . .', '.git'],
    ['.git::$INDEX_ALLOCATION', '.git'],
    ['git~1', '.git'],
    ['GIT~1.', '.git'],
    ['GITMOD~2', '.gitmodules'],
    ['gi7eba~9', '.gitmodules'],
    ['gitatt~1', '.gitattributes'],
    ['lfscon~4', '.lfsconfig'],
    // Case folding of APFS, beyond ASCII.
    ['.hu\u017Fky', '.husky'],
  ])('folds %j to %j', (name, folded) => {
    expect(foldName(name)).toBe(folded);
  });

  it.each(['.gitx', 'git', 'git~2', 'gitmod~5', 'a.git', '.git1'])('leaves %j as another name', (name) => {
    expect(foldName(name)).toBe(name);
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 12 }), (name) => {
        const folded = foldName(name);
        expect(foldName(folded)).toBe(folded);
      }),
    );
  });

  it('returns one form for every spelling', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('.git', '.gitmodules', '.vscode', '.mcp.json'),
        fc.array(fc.record({ at: fc.nat(12), mark: fc.constantFrom(...IGNORED) }), { maxLength: 4 }),
        fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
        fc.constantFrom('', '.', ' ', '. .', '::$DATA'),
        (name, marks, isUpper, end) => {
          const cased = name
            .split('')
            .map((one, index) => (isUpper[index] === true ? one.toUpperCase() : one));
          for (const { at, mark } of marks) cased.splice(at, 0, mark);
          expect(foldName(cased.join('') + end)).toBe(name);
        },
      ),
    );
  });
});

describe('foldPath', () => {
  const NAMES = fc.string({ unit: fc.constantFrom('a', 'B', '.', '.', '-', '~', ' '), maxLength: 3 });

  it('folds a plain path as any other one', () => {
    fc.assert(
      fc.property(fc.array(NAMES, { minLength: 1, maxLength: 4 }), (names) => {
        // An ignored code point makes a name not plain, and changes nothing else.
        const folded = names.map((name) => foldName(`\u200C${name}`));
        expect(names.map(foldName)).toEqual(folded);
        expect(foldPath(names.join('/'))).toEqual(folded);
      }),
    );
  });

  it('separates at both slashes', () => {
    expect(foldPath(String.raw`a\.GIT/config`)).toEqual(['a', '.git', 'config']);
  });
});
