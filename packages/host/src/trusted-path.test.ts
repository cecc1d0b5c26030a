import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { trustedPath } from './trusted-path.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'truecast-trusted-path-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const at = (...names: readonly string[]): string => join(base, ...names);
const resolved = (path: string, roots: readonly string[] = []) =>
  trustedPath(path, { option: '`it`', roots });
const unsafe = expect.objectContaining({ code: 'unsafe-path' });

for (const folder of ['outside/inner', 'repo/.git', 'repo/real/deep', 'repo/nested/.git', 'plain/sub']) {
  mkdirSync(at(folder), { recursive: true });
}
for (const [link, target] of [
  ['repo/out', at('outside')],
  ['repo/up', '../outside'],
  ['repo/in', 'real'],
  ['repo/absolute', at('repo/real')],
  ['repo/twice', 'in'],
  ['repo/dangling', at('outside/new')],
  ['repo/loop', 'loop'],
  ['repo/nested/parent', '..'],
  ['mine', at('repo/real')],
  ['mine-out', at('repo/out/inner')],
  ['beside', 'repo/../outside'],
  ['plain/link', at('outside')],
] as const) {
  symlinkSync(target, at(link));
}

describe('a path below a checkout', () => {
  it.each(['out', 'up', 'out/inner', 'dangling', 'loop', 'nested/parent', 'nested/parent/real'])(
    'is refused where a link leads out of it: %s',
    (path) => {
      expect(() => resolved(at('repo', path))).toThrow(unsafe);
    },
  );

  it.each([
    ['in', 'real'],
    ['absolute/deep', 'real/deep'],
    ['twice', 'real'],
    ['real/missing/file', 'real/missing/file'],
    ['.', '.'],
  ])('is followed where the link stays below it: %s', (path, real) => {
    expect(resolved(at('repo', path))).toEqual({ path: at('repo', real), root: at('repo') });
  });

  it('names the link, its target and the option', () => {
    expect(() => resolved(at('repo/out/inner'))).toThrow(
      `Expected \`it\` \`${at('repo/out/inner')}\` to stay below \`${at('repo')}\`, but \`${at('repo/out')}\` is a symbolic link to \`${at('outside')}\`.`,
    );
  });
});

describe('a link of the user', () => {
  it('outside of every checkout is followed, also into a checkout', () => {
    expect(resolved(at('plain/link/inner'))).toEqual({ path: at('outside/inner'), root: undefined });
    expect(resolved(at('mine/deep'))).toEqual({ path: at('repo/real/deep'), root: at('repo') });
    expect(resolved(at('beside/inner'))).toEqual({ path: at('outside/inner'), root: undefined });
  });

  it('does not carry over a link of the checkout that it leads to', () => {
    expect(() => resolved(at('mine-out'))).toThrow(unsafe);
  });
});

describe('a root that the caller names', () => {
  it('is guarded like a checkout, by each of its names', () => {
    symlinkSync(at('plain'), at('other-name'));
    for (const root of [at('plain'), at('other-name')]) {
      expect(() => resolved(at('plain/link'), [root])).toThrow(unsafe);
      expect(resolved(at('plain/sub'), [root])).toEqual({ path: at('plain/sub'), root: at('plain') });
    }
  });
});

it('is refused where the way through a checkout cannot be read', () => {
  const folder = at('repo/closed');
  mkdirSync(join(folder, 'inner'), { recursive: true });
  const program = at('program.ts');
  const source = JSON.stringify(new URL('trusted-path.ts', import.meta.url).pathname);
  writeFileSync(
    program,
    `import { trustedPath } from ${source};\ntry { trustedPath(${JSON.stringify(join(folder, 'inner/x'))}, { option: 'it' }); } catch (error) { console.log(error.code); }`,
  );
  execFileSync('chmod', ['000', folder]);
  const isRoot = process.getuid?.() === 0;
  const dropped = ['--reuid', '65534', '--clear-groups', '--bounding-set', '-all', process.execPath, program];
  const [file, ...args] = isRoot ? ['setpriv', ...dropped] : [process.execPath, program];
  execFileSync('chmod', ['755', base]);
  const said = execFileSync(file ?? '', args, { encoding: 'utf8' });
  execFileSync('chmod', ['755', folder]);
  expect(said).toBe('unsafe-path\n');
});
