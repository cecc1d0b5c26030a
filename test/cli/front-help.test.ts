/** Tests of the help: the usual commands, all commands, unknown commands, and the flag `--json`. */
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands.ts';
import { runCommandLine } from '../../packages/cli/src/main.ts';
import { createProgram } from '../../packages/cli/src/program.ts';

interface Said {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

async function say(...words: readonly string[]): Promise<Said> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await runCommandLine(words, { stdin: process.stdin, stdout, stderr });
  return { code, stdout: String(stdout.read() ?? ''), stderr: String(stderr.read() ?? '') };
}

/** Names at the start of a help's lines, of the commands only. */
function listed(help: string): readonly string[] {
  return [...help.matchAll(/^  (?<name>[a-z]+)(?: |$)/gmu)].map((match) => match.groups?.['name'] ?? '');
}

describe('the help', () => {
  it('lists the eight usual commands, and names the way to all others', async () => {
    const { code, stdout } = await say('--help');
    expect(code).toBe(0);
    expect(listed(stdout)).toEqual(['run', 'batch', 'check', 'extract', 'doctor', 'init', 'serve', 'mock']);
    expect(stdout).toContain('truecast help --all');
  });

  it('lists every command in its group with `help --all`', async () => {
    const { code, stdout } = await say('help', '--all');
    expect(code).toBe(0);
    expect(listed(stdout)).toEqual([...Object.keys(COMMANDS), 'help']);
    for (const { group } of Object.values(COMMANDS)) expect(stdout).toContain(`${group}:\n`);
  });

  it.each([
    [['play', '--help'], "unknown command 'play'"],
    [['-h', 'play'], "unknown command 'play'"],
    [['help', 'play'], "unknown command 'play'"],
    [['ensembel', '--help'], 'Did you mean `ensemble`?'],
    [['ensemble', 'pla', '--help'], 'Did you mean `replay`?'],
    [['token', 'creat', '-h'], 'Did you mean `create`?'],
    [['help', 'token', 'creat'], 'Did you mean `create`?'],
  ])('refuses an unknown command in `%s` with code 2', async (words, text) => {
    const { code, stdout, stderr } = await say(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(text);
  });

  it.each(['run', 'ensemble', 'ensemble replay'])('is shown for `%s`', async (command) => {
    const { code, stdout } = await say(...command.split(' '), '--help');
    expect(code).toBe(0);
    expect(stdout).toContain(`Usage: truecast ${command} `);
  });
});

/** Commands without `--json`, and what they print on stdout. */
const WITHOUT_JSON: Readonly<Record<string, string>> = {
  demo: 'the answer, which is JSON',
  action: 'the log of the step: results are in the files of the runner',
  completion: 'a script for a shell',
  serve: 'a log, one line of JSON for each record',
  worker: 'a log, one line of JSON for each record',
  'data export': 'JSON',
  'token revoke': 'nothing',
  'token show': 'one token',
  'runs delete': 'nothing',
  'runs logs': 'the log of the agent',
  'runs patch': 'a patch for git',
  'docker build-image': 'the output of docker',
  'docker remove-image': 'the output of docker',
  'podman build-image': 'the output of podman',
  'podman remove-image': 'the output of podman',
};

function leaves(command: Command, path: string): readonly (readonly [path: string, command: Command])[] {
  if (command.commands.length === 0) return [[path, command]];
  return command.commands.flatMap((each) => leaves(each, `${path} ${each.name()}`.trim()));
}

it('every command that prints data has `--json`', async () => {
  const { stdin } = process;
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const finish = (): Promise<void> => Promise.resolve();
  const program = await createProgram(['help'], { terminal: { stdin, stdout, stderr }, finish });
  const without = leaves(program, '').filter(
    ([, { options }]) => !options.some(({ long }) => long === '--json'),
  );
  expect(without.map(([path]) => path).sort()).toEqual(Object.keys(WITHOUT_JSON).sort());
});
