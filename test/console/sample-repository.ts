/** Sample repository of a project: two commits of an agent, one of them with a hostile file. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PARSER = [
  '/** Parser of lists. */',
  'export interface Item {',
  '  readonly name: string;',
  '}',
  '',
  'export function parseItems(source: string): Item[] {',
  "  const items = source.split(',');",
  '  const parsed: Item[] = [];',
  "  if (source === '') return parsed;",
  '  for (let i = 0; i <= items.length; i++) {',
  '    parsed.push(toItem(items[i]));',
  '  }',
  '  return parsed.filter(Boolean);',
  '}',
  '',
];
const TEST = [
  "describe('parseItems', () => {",
  "  it('reads two items', () => {",
  "    expect(parseItems('1,2')).toHaveLength(2);",
  '  });',
  '});',
  '',
];
const ADDED = [
  '',
  "  it('never reads past the end', () => {",
  "    expect(parseItems('1,2')).not.toContain(undefined);",
  "    expect(parseItems('')).toEqual([]);",
  '  });',
];
/** A name and a line that a page must not take for markup, and that reorder their text. */
const HOSTILE = {
  path: 'notes/<img src=x onerror="document.title=1">.md',
  text: '<script>document.title=1</script> ‮txet\u0007\n',
};

/** Makes a repository of the folder. Returns the commits of its branch `truecast/triage-412`, oldest first. */
export function makeSampleRepository(folder: string): readonly string[] {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = (message: string): string => {
    git('add', 'src', 'test', 'notes');
    git('commit', '--quiet', '--message', message);
    return git('rev-parse', 'HEAD');
  };
  git('init', '--quiet', '--initial-branch=main');
  write('src/parser.ts', PARSER.join('\n'));
  write('test/parser.test.ts', TEST.join('\n'));
  write('notes/old.md', 'An old note.\n');
  commit('Parse lists');
  git('checkout', '--quiet', '-b', 'truecast/triage-412');
  write(
    'src/parser.ts',
    PARSER.join('\n').replace('i <= items', 'i < items').replace('.filter(Boolean)', ''),
  );
  const first = commit('Stop the loop at the last item');
  write('test/parser.test.ts', [...TEST.slice(0, 4), ...ADDED, ...TEST.slice(4)].join('\n'));
  write(HOSTILE.path, HOSTILE.text);
  return [first, commit('Test that nothing is read past the end')];
}
