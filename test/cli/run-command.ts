/**
 * Command of a test: in the process of the suites, or as a process of its own. Its start takes several
 * times the processor time of most cases, so the short form starts it where a test is about the process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { execa } from 'execa';
import { runCommandLine } from '../../packages/cli/src/main.ts';
import { printOverview } from '../../packages/cli/src/overview.ts';
import type { CommandTerminal } from '../../packages/cli/src/terminal/print.ts';
import { FORM } from '../matrix.ts';
import { commandFile } from '../package/shared-build.ts';

/** The command's main file. */
export const MAIN: string = await commandFile();

/** Where a command runs. */
export interface CommandPlace {
  readonly cwd: string;
  /** Variables that it has in addition to those of the tests. `undefined` removes one. @default none */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Text on its stdin. @default '' */
  readonly input?: string;
}

/** Exit and output of a command. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | undefined;
}

/** The same, with both outputs in one text. */
interface Logged extends Ended {
  readonly all: string;
}

/** Its folder, variables and exit code are the worker's: one command at a time. */
let isBusy = false;

/**
 * Runs a command that a test asks for its output and its exit code. The whole form of the matrix starts
 * it, and so does the short form while another command runs in this process.
 */
export async function runCommand(words: readonly string[], place: CommandPlace): Promise<Logged> {
  if (FORM === 'whole' || isBusy) return startCommand(words, place);
  isBusy = true;
  const leave = enter(place);
  const all: Buffer[] = [];
  const stdout = new Said(all);
  const stderr = new Said(all);
  // Streams of a process that is not on a terminal.
  const terminal = {
    stdin: Readable.from([place.input ?? '']),
    stdout,
    stderr,
  } as unknown as CommandTerminal;
  try {
    const code = words.length === 0 ? await printOverview(terminal) : await runCommandLine(words, terminal);
    return {
      stdout: textOf(stdout.chunks),
      stderr: textOf(stderr.chunks),
      all: textOf(all),
      exitCode: code ?? 0,
    };
  } finally {
    leave();
    isBusy = false;
  }
}

/** Starts a command as a process of its own, with a separate folder for temporary files. */
export async function startCommand(
  words: readonly string[],
  { cwd, env, input = '' }: CommandPlace,
): Promise<Logged> {
  const temporary = mkdtempSync(join(tmpdir(), 'cli-'));
  const { stdout, stderr, all, exitCode } = await execa(process.execPath, [MAIN, ...words], {
    cwd,
    input,
    all: true,
    reject: false,
    env: { TMPDIR: temporary, ...env },
  });
  rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  return { stdout, stderr, all, exitCode };
}

/** Gives this process the folder and the variables of the command. Returns the way back. */
function enter({ cwd, env = {} }: CommandPlace): () => void {
  const before = { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode };
  const temporary = mkdtempSync(join(tmpdir(), 'cli-'));
  setVariables({ TMPDIR: temporary, ...env });
  process.chdir(cwd);
  process.exitCode = undefined;
  return () => {
    process.chdir(before.cwd);
    process.exitCode = before.exitCode;
    const added = Object.keys(process.env).filter((name) => before.env[name] === undefined);
    setVariables({ ...before.env, ...Object.fromEntries(added.map((name) => [name, undefined])) });
    rmSync(temporary, { recursive: true, force: true, maxRetries: 5 });
  };
}

function setVariables(variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** An output of a command. */
class Said extends Writable {
  readonly chunks: Buffer[] = [];
  readonly #all: Buffer[];

  /** `all` gets the chunks of both outputs. */
  constructor(all: Buffer[]) {
    super();
    this.#all = all;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.chunks.push(chunk);
    this.#all.push(chunk);
    done();
  }
}

/** Returns the text of an output without the end of its last line, as `execa` does. */
function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/u, '');
}
