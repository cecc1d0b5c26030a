/** Manners of the command: a closed pipe, errors of the command line, and messages in its own words. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { ACP_PRESET_NAMES, AGENT_NAMES } from '../../packages/truecast/src/agents/registry/agent-names.ts';
import { ACP_AGENTS, AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import { inFlagWords } from '../../packages/cli/src/terminal/flag-words.ts';
import { renderTable } from '../../packages/cli/src/terminal/render-table.ts';
import { terminalSigns } from 'truecast/internal/support/terminal-text';
import { MAIN, temporaryFolder, truecast } from './cli-fixture.ts';
import { runCommand } from './run-command.ts';

describe('a reader that disconnects', () => {
  it.each([['--help'], ['run --help'], ['check s.json']])('ends `%s` quietly', async (words) => {
    const cwd = temporaryFolder();
    // `true` has exited before the command writes.
    const line = `set -o pipefail; { sleep 0.5; '${process.execPath}' '${MAIN}' ${words}; } | true`;
    const { stderr, exitCode } = await execa('bash', ['-c', line], { cwd, reject: false });
    expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  });
});

describe('an error of the command line', () => {
  it.each([
    [
      ['run', '--agent', 'codex', '--shema', 'x'],
      ["truecast: unknown option '--shema'. Did you mean `--schema`?", 'See: truecast run --help'],
    ],
    [['rnu'], ["truecast: unknown command 'rnu'. Did you mean `run`?", 'See: truecast --help']],
    [
      ['token', 'creat'],
      ["truecast: unknown command 'creat'. Did you mean `create`?", 'See: truecast token --help'],
    ],
  ])('of %j is two lines', async (words, lines) => {
    const { stdout, stderr, exitCode } = await truecast(temporaryFolder(), ...words);
    expect({ stdout, lines: stderr.split('\n'), exitCode }).toEqual({ stdout: '', lines, exitCode: 2 });
  });
});

describe('a schema that cannot be parsed', () => {
  it.each([
    ['broken.json', '{\n  "type": object\n}', 'at line 2, column 11'],
    ['broken.ts', 'export const a = {\n  b: ,\n};\n', 'line 2, column 6'],
    ['broken.mjs', 'export const a = {\n  b: ,\n};\n', "line 2, column 6: Unexpected token ','"],
  ])('names the place in %s', async (name, text, place) => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, name), text);
    const { stderr, exitCode } = await runCommand(['check', name], { cwd });
    expect(stderr).toContain(place);
    expect(exitCode).toBe(2);
  });

  it('is none that begins with a byte order mark, or is JSON on the command line', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'bom.json'), '\uFEFF{"type":"string"}');
    expect(await truecast(cwd, 'check', 'bom.json')).toMatchObject({ exitCode: 0 });
    expect(await truecast(cwd, 'check', '{"type":"string"}')).toMatchObject({ exitCode: 0 });
  });
});

it('tells an unknown agent from an unreadable file', async () => {
  const cwd = temporaryFolder();
  const unknown = await truecast(cwd, 'extract', '--tag', 'result', '--agent', 'nope', 's.json');
  expect(unknown.stderr).toContain('Expected `--agent` to be one of');
  const missing = await truecast(cwd, 'extract', '--tag', 'result', '--agent', 'nope', 'gone.txt');
  expect(missing).toMatchObject({ exitCode: 2, stderr: unknown.stderr });
  const plain = await truecast(cwd, 'extract', '--tag', 'result', '--agent', 'claude-code', 's.json');
  expect(plain).toMatchObject({ exitCode: 2 });
  expect(plain.stderr).toContain('no event of `claude-code`');
});

it.each([['--model', 'http://127.0.0.1:1/v1'], ['--all']])(
  'doctor --security refuses %s',
  async (...flags) => {
    const { stderr, exitCode } = await truecast(temporaryFolder(), 'doctor', '--security', ...flags);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(`cannot be used with option '${flags[0]}`);
  },
);

it('prints the report of doctor on stdout, the verdict first', async () => {
  const { stdout, stderr, exitCode } = await truecast(temporaryFolder(), 'doctor');
  expect({ stderr, exitCode }).toEqual({ stderr: '', exitCode: 0 });
  expect(stdout).toMatch(/^(Ready|Not protected).*\n {2}Needed/u);
  expect(stdout).not.toMatch(/[×✗]/u);
});

it('colors a verdict by its meaning, where colors are wanted', async () => {
  const env = { FORCE_COLOR: '1', NO_COLOR: undefined };
  const { stdout, exitCode } = await runCommand(['check', 's.json'], { cwd: temporaryFolder(), env });
  expect(exitCode).toBe(0);
  expect(stdout).toContain('\u001B[32mopenai: accepts it');
});

describe('the words of the library', () => {
  it.each([
    ['Set `maxCorrections`.', ['--max-corrections'], 'Set `--max-corrections`.'],
    ['Set `maxCorrections`.', [], 'Set `maxCorrections`.'],
    [
      "Set `retry: 'fresh'`, use `claudeCode()`.",
      ['--retry'],
      'Set `--retry fresh`, use `--agent claude-code`.',
    ],
    [
      'Expected `cwd` and `budget.usd`, got `toString`.',
      ['--cwd', '--budget-usd'],
      'Expected `--cwd` and `--budget-usd`, got `toString`.',
    ],
  ])('in %j become flags that the command has', (message, flags, shown) => {
    expect(inFlagWords(message, flags)).toBe(shown);
  });
});

describe('a table', () => {
  const rows = [
    ['agent', 'runs', 'p95'],
    ['claude-code', '12', '4.0 s'],
  ];
  const layout = { rightAligned: [1, 2], droppable: [2] };

  it('drops columns, and then becomes blocks, where it does not fit', () => {
    expect(renderTable(rows, { ...layout, columns: 24 })).toBe(
      'agent        runs    p95\nclaude-code    12  4.0 s',
    );
    expect(renderTable(rows, { ...layout, columns: 20 })).toBe('agent        runs\nclaude-code    12');
    expect(renderTable(rows, { ...layout, columns: 10 })).toBe('agent  claude-code\nruns   12\np95    4.0 s');
  });
});

it('uses ASCII signs in a locale without UTF-8', () => {
  expect(terminalSigns({ LANG: 'C' }).failed).toBe('x');
  expect(terminalSigns({ LANG: 'de_DE.UTF-8' }).failed).toBe('×');
  expect(terminalSigns({}).done).toBe('✓');
});

describe('the help of run', () => {
  it('loads neither an agent nor a run', async () => {
    const counter = `import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) {
  if (/src\\/(?:agents\\/(?!registry\\/agent-names)|run\\/stages)/u.test(url)) process.stderr.write(url + '\\n');
  return next(url, context);
} });`;
    const hook = `data:text/javascript,${encodeURIComponent(counter)}`;
    const { stdout, stderr } = await execa(process.execPath, ['--import', hook, MAIN, 'run', '--help']);
    expect(stdout).toContain('claude-code, codex');
    expect(stderr).toBe('');
  });

  it('lists the agents of the registry', () => {
    expect(AGENT_NAMES).toEqual(Object.keys(AGENTS));
    expect(ACP_PRESET_NAMES).toEqual(Object.keys(ACP_AGENTS));
  });
});
