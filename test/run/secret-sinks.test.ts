/**
 * Secret sinks of whole processes: the command's output, a terminal, a log on stdout, the outcomes
 * file and a batch hold no planted secret, and no answer is altered.
 */
import { readFileSync, writeFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { repositoryStateFolder } from '../../packages/host/src/state-folder.ts';
import { parseJson } from '../../packages/core/src/json/parse-json.ts';
import { execa } from 'execa';
import { temporaryFolder } from './fixture.ts';
import {
  ALL,
  DECLARED,
  expectNoSecret,
  filesOf,
  FROM_FILE,
  PLANTED,
  repositoryWithEnv,
} from './planted-secrets.ts';
import { onTerminal } from './terminal.ts';
import { bundledHost } from '../bundled-host.ts';
import { itWhole } from '../matrix.ts';
import { declarePrograms, type ProgramEnd } from '../program-session.ts';
import { commandFile } from '../package/shared-build.ts';
import { describeUnless, missing } from '../needs.ts';

const MAIN = await commandFile();
const STDOUT_HOST = await bundledHost(new URL('stdout-log-host.ts', import.meta.url));
const TIMEOUT = { timeout: 240_000 };

interface Case {
  readonly cwd: string;
  readonly folder: string;
  readonly script: string;
  readonly args: readonly string[];
}

/** An agent that prints `said`, and a command line that runs it. */
function prepare(said: string, ending = ''): Case {
  const cwd = repositoryWithEnv({ VAULT: FROM_FILE, DECLARED });
  const folder = temporaryFolder();
  const saidFile = join(folder, 'said.txt');
  const script = join(folder, 'agent.sh');
  writeFileSync(saidFile, said);
  writeFileSync(script, `F='${saidFile}'; cat "$F"; ${ending}`);
  const args = ['--cwd', cwd, '--sandbox', 'none', '--agent', `command:sh ${script}`];
  return { cwd, folder, script, args: [...args, '--prompt', 'Answer in <result>.'] };
}

const FAIL = 'cat "$F" >&2; exit 3';
/** Returns the arguments for answers that are objects with members of a type. */
function output(folder: string, type: 'string' | 'number'): readonly string[] {
  const path = join(folder, 's.json');
  writeFileSync(path, JSON.stringify({ type: 'object', additionalProperties: { type } }));
  return ['--tag', 'result', '--schema', path];
}

const runProgram = declarePrograms();

function truecast(...args: readonly string[]): Promise<ProgramEnd> {
  return runProgram({ file: MAIN, args, cwd: process.cwd() });
}

function outcomesOf(cwd: string): string {
  return readFileSync(join(repositoryStateFolder(join(cwd, '.git')), 'outcomes.jsonl'), 'utf8');
}

function expectCleanLogs(cwd: string): void {
  const logs = filesOf(join(repositoryStateFolder(join(cwd, '.git')), 'logs'));
  expect(logs.length).toBeGreaterThan(0);
  for (const [name, text] of logs) expectNoSecret(name, text);
  const kept = join(repositoryStateFolder(join(cwd, '.git')), 'runs');
  const runs = readdirSync(kept).flatMap((id) => filesOf(join(kept, id)));
  expect(runs.length).toBeGreaterThan(0);
  for (const [name, text] of runs) expectNoSecret(name, text);
}

describe('the command', () => {
  it('keeps secrets of a failed run out of stdout and stderr', TIMEOUT, async () => {
    const { cwd, args } = prepare(ALL, FAIL);
    const { stdout, stderr, exitCode } = await truecast('run', ...args, '--json', '--verbose');
    expect(exitCode).toBe(1);
    expect(stdout).toContain('"code": "exit"');
    expectNoSecret('stdout', stdout);
    expectNoSecret('stderr', stderr);
    expectCleanLogs(cwd);
  });

  it('keeps secrets of a refused answer out of stdout, stderr and the outcomes', TIMEOUT, async () => {
    const { cwd, folder, args } = prepare(`<result>${JSON.stringify({ [ALL]: ALL })}</result>`);
    const wanted = output(folder, 'number');
    const { stdout, stderr, exitCode } = await truecast('run', ...args, ...wanted, '--json', '--verbose');
    expect(exitCode).toBe(3);
    expectNoSecret('stdout', stdout);
    expectNoSecret('stderr', stderr);
    expect(outcomesOf(cwd)).toContain('"issuePaths":["0: ****');
    expectNoSecret('the outcomes', outcomesOf(cwd));
    expectCleanLogs(cwd);
  });

  it('prints an answer with secrets unaltered, and nothing of it elsewhere', TIMEOUT, async () => {
    const answer = { [ALL]: ALL, ok: 'fine' };
    const { cwd, folder, args } = prepare(`<result>${JSON.stringify(answer)}</result>`);
    const wanted = output(folder, 'string');
    const { stdout, stderr } = await truecast('run', ...args, ...wanted, '--json', '--verbose');
    expect(parseJson(stdout)).toMatchObject({
      value: { output: answer, provenance: { raw: JSON.stringify(answer) } },
    });
    expect(stderr).toContain('secret-in-output');
    expectNoSecret('stderr', stderr);
    expectNoSecret('the outcomes', outcomesOf(cwd));
    expectCleanLogs(cwd);
    const plain = await truecast('run', ...args, ...wanted);
    expect(parseJson(plain.stdout)).toMatchObject({ value: answer });
  });

  it('keeps secrets out of the failures of a batch, and leaves its answers alone', TIMEOUT, async () => {
    const answer = { [ALL]: ALL };
    const script = 'test -e b || exec sh -c \'cat "$F" >&2; exit 3\'';
    const { cwd, folder, args } = prepare(`<result>${JSON.stringify(answer)}</result>`, script);
    writeFileSync(
      join(folder, 'agent.sh'),
      `export F='${join(folder, 'said.txt')}'
      if grep -q succeed; then cat "$F"; else ${FAIL}; fi`,
    );
    writeFileSync(join(folder, 'in.jsonl'), '{"id":1,"HOW":"succeed"}\n{"id":2,"HOW":"fail"}\n');
    const own = args.slice(0, -2);
    const inputs = ['--inputs', join(folder, 'in.jsonl'), '--prompt', '{{HOW}}: answer in <result>.'];
    const { stdout, stderr } = await truecast('batch', ...own, ...inputs, ...output(folder, 'string'));
    const lines = stdout.trim().split('\n');
    const ok = lines.filter((line) => line.includes('"status":"ok"'));
    const failed = lines.filter((line) => line.includes('"status":"failed"'));
    expect(parseJson(ok[0] ?? '')).toMatchObject({ value: { output: answer } });
    expectNoSecret('a failure', failed.join('\n'));
    expectNoSecret('stderr', stderr);
    expectNoSecret('the outcomes', outcomesOf(cwd));
  });
});

it('keeps secrets out of a log on stdout', TIMEOUT, async () => {
  const { cwd, script } = prepare(ALL, FAIL);
  const { stdout, stderr } = await execa(process.execPath, [STDOUT_HOST, cwd, script], { reject: false });
  expect(stdout).toContain('Run failed');
  expectNoSecret('stdout', stdout);
  expect(stderr).toBe('');
});

describeUnless(missing('script'), 'a terminal', () => {
  // The short form shows the coloured secrets of the same command.
  itWhole('shows no secret of the command', async () => {
    const { cwd, args } = prepare(ALL, FAIL);
    const shown = await onTerminal({ args: [MAIN, 'run', ...args, '--json', '--verbose'], cwd });
    expect(shown).toContain('"code": "exit"');
    expectNoSecret('the terminal', shown);
  });

  it('shows no secret of a log on stdout', TIMEOUT, async () => {
    const { cwd, script } = prepare(ALL, FAIL);
    const shown = await onTerminal({ args: [STDOUT_HOST, cwd, script], cwd });
    expectNoSecret('the terminal', shown);
  });

  it('shows no secret that colours split, which it removes', TIMEOUT, async () => {
    const coloured = PLANTED.map(([text]) => {
      const middle = Math.floor(text.length / 2);
      return `${text.slice(0, middle)}\u001B[31m${text.slice(middle)}\u001B[0m .`;
    }).join('\n');
    const { cwd, args } = prepare(coloured, FAIL);
    const shown = await onTerminal({ args: [MAIN, 'run', ...args, '--verbose'], cwd });
    expectNoSecret('the terminal', shown);
  });
});
