import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isNamed, namesInCommands } from './command-names.ts';
import { foldPath } from './fold-name.ts';

const TOP = '/home/me/repo';

function names(path: string, ...commands: readonly string[]): boolean {
  return isNamed(namesInCommands(commands, TOP), foldPath(path));
}

describe('names in commands', () => {
  it.each([
    ['tools/show.sh', 'tools/show.sh'],
    ['tools/show.sh', 'sh ./tools/show.sh %f'],
    ['tools/show.sh', 'sh -c \'tools/show.sh "$1"\' -'],
    ['tools/show.sh', '$(git rev-parse --show-toplevel)/tools/show.sh'],
    ['tools/show.sh', '`git rev-parse --show-toplevel`/tools/show.sh'],
    ['tools/show.sh', '"$PWD"/tools/show.sh'],
    ['tools/show.sh', '${GIT_WORK_TREE}/tools/show.sh'],
    ['tools/show.sh', `${TOP}/tools/show.sh`],
    ['tools/show.sh', 'cd tools && ./show.sh'],
    ['tools/show.sh', 'cd tools; sh show.sh'],
    ['tools/show.sh', 'A=1 sh <tools/show.sh|cat'],
    ['tools/show.sh', 'node --import=./tools/show.sh x'],
    ['tools/show.sh', '../repo/tools/show.sh'],
    ['tools/format/index.js', 'node tools/format'],
    ['Makefile', 'make -f Makefile'],
    ['Tools/Show.SH', 'tools/show.sh'],
  ])('%j is named by %j', (path, command) => {
    expect(names(path, command)).toBe(true);
  });

  it.each([
    ['tools/other.sh', 'tools/show.sh'],
    ['src/cat', 'cat'],
    ['show', '/usr/bin/show'],
    ['show', '~/bin/show'],
    ['p', '-p'],
    ['C/x', 'C:/x'],
    ['tools/show.sh', ''],
  ])('%j is not named by %j', (path, command) => {
    expect(names(path, command)).toBe(false);
  });

  it('holds for every path, prefix and quoting', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]{0,6}$/u);
    fc.assert(
      fc.property(
        fc.array(name, { minLength: 1, maxLength: 3 }),
        fc.constantFrom('', './', '$PWD/', '"$(pwd)"/', `${TOP}/`, '../'),
        fc.constantFrom('%s', 'sh %s', "'%s' %%f", 'a;%s', 'a&&%s&', 'x=(%s)', 'a|"%s"'),
        (parts, prefix, form) => {
          const path = [...parts, 'run.sh'].join('/');
          expect(
            names(
              path,
              form.replace('%s', () => prefix + path),
            ),
          ).toBe(true);
        },
      ),
    );
  });
});
