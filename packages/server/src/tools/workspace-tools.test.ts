import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonValue } from '@truecast/core/internal/kit/json-value';
import { OwnerPlaces } from '../pacing/owner-places.ts';
import type { ToolContext, ToolOutcome } from './server-tool.ts';
import { context } from './test-context.ts';
import { testWorkspace, type TestWorkspace } from './test-workspace.ts';
import { workspaceTools } from './workspace-tools.ts';

async function run(
  workspace: TestWorkspace,
  name: string,
  input: JsonValue,
  more: Partial<ToolContext> = {},
): Promise<ToolOutcome> {
  const tool = workspaceTools(workspace).find(({ definition }) => definition.name === name);
  if (tool === undefined) throw new TypeError(`no tool ${name}`);
  return tool.run(input, { ...context, ...more });
}

const ODD_NAMES = ["it's here.txt", '-rf.txt', 'a b/ü "q" $HOME `x`.txt', 'new\nline.txt'];

describe('files', () => {
  it.each(ODD_NAMES)('are written and read back with any name: %j', async (path) => {
    await using workspace = await testWorkspace();
    const text = "line 1\n'$(id)' \\ \u00fc\nno newline at the end";
    expect(await run(workspace, 'write_file', { path, text })).toMatchObject({ isError: false });
    expect(await readFile(join(workspace.folder, path), 'utf8')).toBe(text);
    expect(await run(workspace, 'read_file', { path })).toEqual({ result: text, isError: false });
  });

  it('are read in pieces', async () => {
    await using workspace = await testWorkspace();
    await writeFile(join(workspace.folder, 'long.txt'), '1\n2\n3\n4\n5\n');
    const piece = await run(workspace, 'read_file', { path: 'long.txt', from_line: 2, lines: 2 });
    expect(piece).toEqual({ result: '2\n3\n', isError: false });
  });

  it('report that they do not exist', async () => {
    await using workspace = await testWorkspace();
    expect(await run(workspace, 'read_file', { path: 'none.txt' })).toMatchObject({
      isError: true,
      result: expect.stringContaining('none.txt'),
    });
  });

  it('are listed without hidden folders', async () => {
    await using workspace = await testWorkspace();
    await mkdir(join(workspace.folder, '.git'));
    for (const path of ['b.txt', 'a.txt', '.git/x']) await writeFile(join(workspace.folder, path), '');
    expect(await run(workspace, 'list_files', {})).toEqual({ result: './a.txt\n./b.txt\n', isError: false });
  });

  it('are searched', async () => {
    await using workspace = await testWorkspace();
    await writeFile(join(workspace.folder, 'a.txt'), 'one\ntwo\n');
    expect(await run(workspace, 'search_files', { pattern: '^tw' })).toMatchObject({
      result: './a.txt:2:two\n',
    });
    expect(await run(workspace, 'search_files', { pattern: 'three' })).toEqual({
      result: 'Nothing matches.',
      isError: false,
    });
    expect(await run(workspace, 'search_files', { pattern: '(' })).toMatchObject({ isError: true });
  });
});

describe('files outside of the workspace', () => {
  const CALLS: readonly [string, (path: string) => JsonValue][] = [
    ['read_file', (path) => ({ path })],
    ['list_files', (path) => ({ path })],
    ['search_files', (path) => ({ path, pattern: 'secret' })],
    ['write_file', (path) => ({ path, text: 'written' })],
    ['edit_file', (path) => ({ path, old_text: 'secret', new_text: 'changed' })],
  ];

  it.each(CALLS)('are not reachable by %s, with paths or links', async (name, input) => {
    await using outer = await testWorkspace();
    await using workspace = await testWorkspace();
    const secret = join(outer.folder, 'secret.txt');
    await writeFile(secret, 'a secret\n');
    await symlink(secret, join(workspace.folder, 'file-link'));
    await symlink(outer.folder, join(workspace.folder, 'folder-link'));
    await symlink(join(outer.folder, 'not-there'), join(workspace.folder, 'dangling'));
    const up = relative(workspace.folder, secret);
    const places = [
      secret,
      up,
      `a/../${up}`,
      'file-link',
      'folder-link/secret.txt',
      'folder-link',
      '/etc/passwd',
    ];
    const all = name === 'write_file' ? [...places, 'dangling', 'folder-link/new/x'] : places;
    for (const path of [...all, 'nul\0.txt', '..']) {
      const outcome = await run(workspace, name, input(path));
      expect(outcome, path).toMatchObject({
        isError: true,
        result: expect.stringMatching(/leads out|Expected a path/u),
      });
    }
    expect(await readFile(secret, 'utf8')).toBe('a secret\n');
    expect(await readdir(outer.folder)).toEqual(['secret.txt']);
  });

  it.each(CALLS)(
    'do not prevent %s from using a link, or an absolute path, inside the workspace',
    async (name, input) => {
      await using workspace = await testWorkspace();
      await mkdir(join(workspace.folder, 'real'));
      await writeFile(join(workspace.folder, 'real/a.txt'), 'a secret\n');
      await symlink('real', join(workspace.folder, 'link'));
      for (const path of ['link/a.txt', join(workspace.folder, 'real/a.txt'), 'real/..a']) {
        if (path === 'real/..a') await writeFile(join(workspace.folder, path), 'a secret\n');
        else await writeFile(join(workspace.folder, 'real/a.txt'), 'a secret\n');
        expect(await run(workspace, name, input(path)), path).toMatchObject({ isError: false });
      }
    },
  );
});

describe('edit_file', () => {
  it('replaces text that occurs once, and keeps every other character', async () => {
    await using workspace = await testWorkspace();
    await writeFile(join(workspace.folder, 'a.txt'), 'x $& y\n\n');
    expect(await run(workspace, 'edit_file', { path: 'a.txt', old_text: 'x', new_text: '$&' })).toMatchObject(
      {
        isError: false,
      },
    );
    expect(await readFile(join(workspace.folder, 'a.txt'), 'utf8')).toBe('$& $& y\n\n');
  });

  it.each([
    ['none', 'occurs 0 times'],
    ['x', 'occurs 2 times'],
  ])('changes nothing for %s', async (old_text, told) => {
    await using workspace = await testWorkspace();
    await writeFile(join(workspace.folder, 'a.txt'), 'x x');
    expect(await run(workspace, 'edit_file', { path: 'a.txt', old_text, new_text: 'y' })).toMatchObject({
      isError: true,
      result: expect.stringContaining(told),
    });
    expect(await readFile(join(workspace.folder, 'a.txt'), 'utf8')).toBe('x x');
  });
});

describe('run_command', () => {
  it('continues the trace of its call', async () => {
    await using workspace = await testWorkspace();
    const command = 'echo "$TRACEPARENT <$TRACESTATE>"';
    const trace = { traceparent: '00-a-b-01' };
    const done = await run(workspace, 'run_command', { command }, trace);
    expect(done).toMatchObject({ result: { stdout: '00-a-b-01 <>\n' } });
    const state = { ...trace, tracestate: 'a=1' };
    expect(await run(workspace, 'run_command', { command }, state)).toMatchObject({
      result: { stdout: '00-a-b-01 <a=1>\n' },
    });
  });

  it('returns output and exit code', async () => {
    await using workspace = await testWorkspace();
    expect(await run(workspace, 'run_command', { command: 'echo out; echo err >&2; exit 3' })).toEqual({
      result: { exit_code: 3, stdout: 'out\n', stderr: 'err\n' },
      isError: true,
    });
  });
});

it('arguments that do not fit reach no file', async () => {
  await using workspace = await testWorkspace();
  expect(await run(workspace, 'write_file', { path: 7 })).toMatchObject({
    isError: true,
    result: expect.stringContaining('path'),
  });
});

it('only read-only tools are available in plan mode', async () => {
  await using workspace = await testWorkspace();
  const reading = workspaceTools(workspace).filter(({ readOnlyHint }) => readOnlyHint === true);
  expect(reading.map(({ definition }) => definition.name)).toEqual([
    'read_file',
    'list_files',
    'search_files',
  ]);
});

describe('places of processes', () => {
  it('are held while a command runs, and waited for outside of the slot of the turn', async () => {
    await using workspace = await testWorkspace();
    const processes = new OwnerPlaces(1);
    const order: string[] = [];
    const tools = workspaceTools(workspace, processes);
    const runCommand = tools.find(({ definition }) => definition.name === 'run_command');
    const command = async (ownerId: string): Promise<ToolOutcome | undefined> =>
      runCommand?.run(
        { command: `echo ${ownerId} >> order.txt` },
        {
          ...context,
          ownerId,
          whileWaiting: (wait) => {
            order.push(`${ownerId} waits`);
            return wait();
          },
        },
      );
    processes.take('other');
    const asked = [command('anna'), command('anna'), command('bob')];
    expect(order).toEqual(['anna waits', 'anna waits', 'bob waits']);
    expect(await readdir(workspace.folder)).toEqual([]);
    processes.giveBack('other');
    await Promise.all(asked);
    expect(await readFile(join(workspace.folder, 'order.txt'), 'utf8')).toBe('anna\nbob\nanna\n');
    expect([processes.take('x'), processes.take('x')]).toEqual([true, false]);
  });
});
