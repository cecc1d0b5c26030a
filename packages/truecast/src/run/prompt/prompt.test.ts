import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { expandPrompt, type ExpandPromptOptions } from './expand-prompt.ts';
import { preparePrompt, type PreparedPrompt } from './prepare-prompt.ts';
import type { PromptArgs } from './prompt-template.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'truecast-prompt-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function shell(command: string, signal: AbortSignal): ReturnType<ExpandPromptOptions['exec']> {
  return new Promise((resolve) => {
    const child = execFile('sh', ['-c', command], { cwd: folder, signal }, (_error, stdout, stderr) =>
      resolve({ stdout, stderr, exitCode: child.exitCode ?? 137 }),
    );
  });
}

const builtIns = { SOURCE_BRANCH: 'truecast/x', TARGET_BRANCH: 'main' };

function prepare(template: string, promptArgs?: PromptArgs): Promise<PreparedPrompt> {
  const promptFile = join(folder, 'prompt.md');
  writeFileSync(promptFile, template);
  return preparePrompt({ promptFile, ...(promptArgs !== undefined && { promptArgs }) });
}

async function expand(
  template: string,
  promptArgs?: PromptArgs,
  options: Partial<ExpandPromptOptions> = {},
): Promise<string> {
  const given = { builtIns, exec: shell, expressionTimeoutMs: 30_000, ...options };
  return expandPrompt(await prepare(template, promptArgs), given);
}

test('takes an inline prompt literally', async () => {
  const prepared = await preparePrompt({ prompt: 'Say {{X}} and !`echo hi`', promptArgs: {} });
  expect(prepared).toMatchObject({ text: 'Say {{X}} and !`echo hi`', hasExpressions: false });
  const given = { builtIns, exec: shell, expressionTimeoutMs: 30_000 };
  expect(await expandPrompt(prepared, given)).toBe('Say {{X}} and !`echo hi`');
});

test('refuses arguments to an inline prompt, both sources, and none', async () => {
  for (const source of [{ prompt: 'x', promptArgs: { A: 1 } }, { prompt: 'x', promptFile: 'y' }, {}]) {
    await expect(preparePrompt(source)).rejects.toMatchObject({ code: 'invalid-option' });
  }
});

test('refuses a file that cannot be read', async () => {
  await expect(preparePrompt({ promptFile: join(folder, 'none.md') })).rejects.toThrow(
    /none\.md` cannot be read: ENOENT/u,
  );
});

test('fills in strings, numbers and booleans, each as often as it is named', async () => {
  expect(await expand('{{A}}-{{ A }}-{{\tN_1 }}-{{0}}', { A: 'x', N_1: 7, 0: false })).toBe('x-x-7-false');
});

test('leaves what is no placeholder', async () => {
  const text = '{{ a-b }} {A} {{}} {{\nA\n}} ${{ x.y }} `ls`';
  expect(await expand(text)).toBe(text);
});

test('names the missing keys, once, and the known ones', async () => {
  const failed = prepare('{{A}} {{B}} {{B}} !`echo {{C}}`', { A: 'x', Z: 'y' });
  await expect(failed).rejects.toThrow(
    /none for `\{\{B\}\}`, `\{\{C\}\}`; available are `A`, `Z`, `SOURCE_BRANCH`/u,
  );
});

test.each([null, undefined, {}, []])('refuses %j as a value, by its key', async (value) => {
  const promptArgs = { KEY: value } as unknown as PromptArgs;
  await expect(prepare('{{KEY}}', promptArgs)).rejects.toThrow('the prompt argument `KEY`');
});

test('does not take a property of all objects for an argument', async () => {
  await expect(prepare('{{constructor}} {{toString}}', {})).rejects.toThrow('`{{constructor}}`');
});

test('fills in built-in arguments, and refuses to have them overridden', async () => {
  expect(await expand('{{SOURCE_BRANCH}} -> {{TARGET_BRANCH}}')).toBe('truecast/x -> main');
  await expect(prepare('x', { SOURCE_BRANCH: 'mine' })).rejects.toThrow('`SOURCE_BRANCH` is set by the run');
});

test('warns of arguments that are not used', async () => {
  expect((await prepare('{{A}}', { A: 1, B: 2 })).warnings).toEqual([expect.stringContaining('`B`')]);
});

test('returns its text except for later replacements', async () => {
  expect(await prepare('<{{TAG}}> {{SOURCE_BRANCH}} !`ls`', { TAG: 'result' })).toMatchObject({
    text: '<result> \0 \0',
    hasExpressions: true,
  });
  expect(await prepare('<{{TAG}}>', { TAG: 'result' })).toMatchObject({
    text: '<result>',
    hasExpressions: false,
  });
});

test('replaces an expression by what its command prints, without the blanks at its end', async () => {
  expect(await expand('a !`printf "  one\\n\\n"` b!`echo two`c')).toBe('a   one btwoc');
});

test('runs expressions at the same time', async () => {
  let running = 0;
  const all = Promise.withResolvers<void>();
  const exec: ExpandPromptOptions['exec'] = async () => {
    running += 1;
    if (running === 3) all.resolve();
    await all.promise;
    return { stdout: 'x', stderr: '', exitCode: 0 };
  };
  expect(await expand('!`a` !`b` !`c`', undefined, { exec })).toBe('x x x');
});

test('fails with the expression’s own words when its command fails, and ends the others', async () => {
  const signals: AbortSignal[] = [];
  const exec: ExpandPromptOptions['exec'] = (command, signal) => {
    signals.push(signal);
    return shell(command, signal);
  };
  await expect(expand('!`echo no >&2; exit 3` !`sleep 60`', undefined, { exec })).rejects.toMatchObject({
    code: 'exec',
    exitCode: 3,
    message: expect.stringMatching(/`echo no >&2; exit 3` failed with exit code 3: no\./u),
  });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('gives up on an expression that does not end, also where it cannot be ended', async () => {
  const exec: ExpandPromptOptions['exec'] = () => Promise.withResolvers<never>().promise;
  await expect(expand('!`cat`', undefined, { exec, expressionTimeoutMs: 1 })).rejects.toMatchObject({
    code: 'timeout',
    message: expect.stringContaining('`cat`'),
  });
});

test('reads neither placeholders nor expressions in values and in what commands print', async () => {
  writeFileSync(join(folder, 'printed'), '{{A}} !`touch ran`');
  const text = await expand('{{A}} !`cat printed`', { A: '{{B}} !`touch ran` {{SOURCE_BRANCH}}' });
  expect(text).toBe('{{B}} !`touch ran` {{SOURCE_BRANCH}} {{A}} !`touch ran`');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('makes no expression of a value between the file’s own marks', async () => {
  expect(await expand('!{{A}} {{B}}`', { A: '`touch ran`', B: '!`touch ran' })).toBe(
    '!`touch ran` !`touch ran`',
  );
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

const NASTY = [
  '$(touch ran)',
  '; touch ran #',
  "'; touch ran; '",
  '"; touch ran; "',
  '`touch ran`',
  '\\"; touch ran; \\"',
  'a b  c',
  "it's",
  '$HOME ${HOME}',
  'line\nbreak; touch ran',
  '*',
  '--flag',
  '',
  'plain/path-1.0',
];

test.each(NASTY)('passes the value %j through a shell as one inert word', async (value) => {
  const places = {
    bare: '!`printf %s {{V}}`',
    double: '!`printf %s "{{V}}"`',
    single: "!`printf %s '{{V}}'`",
    nested: '!`printf %s "$(printf %s "{{V}}")"`',
    nestedBare: '!`printf %s "$(printf %s {{V}})"`',
  };
  for (const template of Object.values(places)) {
    expect(await expand(template, { V: value })).toBe(value.trimEnd());
  }
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test.each(NASTY)('never runs the value %j, in whatever strange place', async (value) => {
  const places = [
    '!`cat <<EOF\n{{V}}\nEOF`',
    "!`: don\\'t {{V}}`",
    '!`: # it\'s\n: {{V}} "`',
    '!`echo $(( 1 + 1 )) {{V}}`',
    '!`: ${x:-{{V}}}`',
  ];
  for (const template of places) await expand(template, { V: value }).catch(() => undefined);
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test.each([
  '!`{{V}} x`',
  '!`ls; {{V}}`',
  '!`ls && "{{V}}"`',
  '!`echo $({{V}})`',
  '!`ls | {{V}}`',
  '!`eval {{V}}`',
])('refuses a value as the command itself in %j', async (template) => {
  await expect(prepare(template, { V: 'rm' })).rejects.toThrow('A value is never executed');
});

test.each([
  '!`nohup {{V}}`',
  '!`A=1 {{V}}`',
  '!`ls | env -i A=1 {{V}}`',
  '!`timeout -s KILL 5 {{V}}`',
  '!`ls | xargs -n 1 "{{V}}"`',
  '!`sudo -u root {{V}}`',
  '!`/bin/sh {{V}}`',
  '!`bash -e -c {{V}}`',
  '!`. {{V}}`',
  '!`find . -exec {{V}} ";"`',
])('refuses a value as the program that another one starts in %j', async (template) => {
  await expect(prepare(template, { V: 'rm' })).rejects.toThrow('A value is never executed');
});

const INTERPRETED = [
  '!`sh -c "echo {{V}}"`',
  "!`sh -c 'echo {{V}}'`",
  '!`eval "echo {{V}}"`',
  '!`echo {{V}} | sh`',
  '!`echo {{V}} | xargs -I% sh -c "echo %"`',
  '!`awk "BEGIN { x = 1; print {{V}} }"`',
  "!`ls | awk 'BEGIN { print {{V}} }'`",
  '!`echo x | sed "{{V}}"`',
  '!`find . -maxdepth 0 -exec sh -c "echo {{V}}" ";"`',
  '!`env -S "printf x {{V}}"`',
];

test.each(INTERPRETED)('runs no value by the interpreter in %j', async (template) => {
  const values = ['$(touch ran)', 'x; touch ran', "x'; touch ran; '", 'system("touch ran")', '1e touch ran'];
  for (const value of values) {
    await expect(prepare(template, { V: value })).rejects.toThrow('can execute parts of its arguments');
  }
  expect(await prepare(template, { V: 'src/plain.ts' })).toBeDefined();
});

test.each([
  '!`node scripts/find.js {{V}}`',
  '!`python3 -m tool "{{V}}" | head`',
  '!`bash scripts/find.sh {{V}}`',
  '!`./find.sh {{V}} | sh scripts/show.sh`',
  '!`find . -name "{{V}}"`',
  '!`env NAME="{{V}}" git log`',
])('takes any value as an argument in %j', async (template) => {
  expect(await prepare(template, { V: "*.ts; $(touch ran) '" })).toBeDefined();
});

test('runs an interpreter beside a command that takes any value', async () => {
  expect(await expand("!`printf '%s\\n' {{V}} x | awk 'NR == 1'`", { V: '$(touch ran)' })).toBe(
    '$(touch ran)',
  );
  expect(await expand('!`(echo a; echo b) | sed -n 1p; printf %s {{V}}`', { V: 'a b' })).toBe('a\na b');
});

test.each([
  '!`git log -1 {{V}}`',
  '!`cd /; sort "{{V}}"`',
  "!`ls $(ls '{{V}}')`",
  '!`echo -- ; ls {{V}}`',
  '!`A=1 ls {{V}}`',
])('refuses an option in the place of a value in %j', async (template) => {
  await expect(prepare(template, { V: '--output=ran' })).rejects.toThrow('Write `--` before');
});

test.each([
  ['!`ls -- {{V}}`', '--output=ran'],
  ['!`ls --x="{{V}}"`', '--output=ran'],
  ['!`cat < {{V}}`', '-x'],
  ['!`echo {{V}}`', '--flag'],
  ['!`git log -1 {{V}}`', '-3'],
])('takes %j with the value %j', async (template, value) => {
  expect(await prepare(template, { V: value })).toBeDefined();
});

test('refuses a value with a NUL in an expression', async () => {
  await expect(prepare('!`echo {{V}}`', { V: 'a\0b' })).rejects.toThrow('no NUL');
});
