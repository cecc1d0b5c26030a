/** Fake runner of workflows: its variables and files, and a reader of outputs and log as the real one has it. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeRepository } from '../cli/cli-fixture.ts';
import { runCommand } from '../cli/run-command.ts';

/** A job's folder, with a repository as its checkout. */
export interface FakeRunner {
  readonly repo: string;
  /** Folder beside the checkout. */
  readonly folder: string;
  /** Variables of a step. */
  readonly env: Readonly<Record<string, string>>;
  /** Starts the command as a step. */
  step(inputs: Readonly<Record<string, string>>, word?: string): Promise<Stepped>;
  /** Reads the files of a step, and empties them. */
  read(log: string, exitCode: number | undefined): Stepped;
}

/** End of a step. */
export interface Stepped {
  readonly exitCode: number | undefined;
  /** The whole log. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
  /** Commands that the runner obeys. */
  readonly commands: readonly string[];
}

/** Makes a runner. The event is the JSON of the file, or its text. */
export function fakeRunner(event?: unknown): FakeRunner {
  const repo = makeRepository();
  const folder = dirname(repo);
  const at = (name: string): string => join(folder, name);
  mkdirSync(at('temp'));
  const env = {
    HOME: folder,
    GITHUB_ACTIONS: 'true',
    GITHUB_ACTOR: 'octo',
    GITHUB_OUTPUT: at('output'),
    GITHUB_STEP_SUMMARY: at('summary.md'),
    GITHUB_ENV: at('env'),
    GITHUB_PATH: at('path'),
    RUNNER_TEMP: at('temp'),
    ...(event !== undefined && { GITHUB_EVENT_PATH: at('event.json') }),
  };
  if (event !== undefined) {
    writeFileSync(at('event.json'), typeof event === 'string' ? event : JSON.stringify(event));
  }
  const clear = (): void =>
    ['output', 'summary.md', 'env', 'path'].forEach((name) => writeFileSync(at(name), ''));
  const read = (log: string, exitCode: number | undefined): Stepped => {
    const stepped = {
      exitCode,
      log,
      outputs: readOutputs(readFileSync(env.GITHUB_OUTPUT, 'utf8')),
      summary: readFileSync(env.GITHUB_STEP_SUMMARY, 'utf8'),
      commands: obeyed(log),
    };
    if (readFileSync(env.GITHUB_ENV, 'utf8') !== '') throw new TypeError('The step changed GITHUB_ENV.');
    clear();
    return stepped;
  };
  clear();
  return {
    repo,
    folder,
    env,
    read,
    async step(inputs, word = 'agent') {
      const place = { cwd: repo, env: { ...env, ...inputsToEnv(inputs) } };
      const { all, exitCode } = await runCommand(['action', word], place);
      return read(all, exitCode);
    },
  };
}

/** Writes an agent that saves its prompt and then runs a script. Returns the words of the input `agent`. */
export function shellAgent({ folder }: FakeRunner, script: string): string {
  const path = join(folder, 'agent.sh');
  writeFileSync(path, `cat >> ${folder}/prompts\n${script}\n`);
  return `command:sh ${path}`;
}

/** Writes an agent that prints a text. */
export function sayingAgent(runner: FakeRunner, text: string): string {
  writeFileSync(join(runner.folder, 'said'), text);
  return shellAgent(runner, `cat ${runner.folder}/said`);
}

/** Returns the prompts that the agent got. */
export function promptsOf({ folder }: FakeRunner): string {
  const path = join(folder, 'prompts');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

function inputsToEnv(inputs: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries({ sandbox: 'none', ...inputs }).map(([name, value]) => [
      `INPUT_${name.toUpperCase()}`,
      value,
    ]),
  );
}

/** Reads `name=value` and `name<<END` as the runner does, and refuses other lines. */
function readOutputs(text: string): Readonly<Record<string, string>> {
  const outputs: Record<string, string> = {};
  const lines = text.split('\n');
  for (let at = 0; at < lines.length - 1;) {
    const line = lines[at] ?? '';
    const heredoc = /^(?<name>[^=<]+)<<(?<end>.+)$/u.exec(line)?.groups;
    if (heredoc === undefined) throw new TypeError(`No output: ${line}`);
    const { name = '', end = '' } = heredoc;
    const last = lines.indexOf(end, at + 1);
    if (last === -1) throw new TypeError(`No end of ${name}`);
    if (Object.hasOwn(outputs, name)) throw new TypeError(`Two outputs ${name}`);
    outputs[name] = lines.slice(at + 1, last).join('\n');
    at = last + 1;
  }
  return outputs;
}

/** Commands in a log that the runner obeys: `::x::` at the start of a line and `##[x]`, unless they are stopped. */
function obeyed(log: string): readonly string[] {
  let token: string | undefined;
  return log.split('\n').flatMap((line) => {
    const command = /^\s*::(?<name>[^\s:]+)/u.exec(line) ?? /##\[(?<name>[^\]]+)\]/u.exec(line);
    const name = command?.groups?.['name'];
    if (name === undefined) return [];
    if (token !== undefined) {
      if (name === token) token = undefined;
      return [];
    }
    if (name === 'stop-commands') {
      token = /^::stop-commands::(.+)$/u.exec(line)?.[1];
      return [];
    }
    return [line.trim()];
  });
}
