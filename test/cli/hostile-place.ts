/** Repository, terminal and texts for commands that must not pass on control characters. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { repositoryTemplate } from '../../packages/truecast/src/git/test-template.ts';
import { MAIN, temporaryFolder } from './cli-fixture.ts';
import { FORM } from '../matrix.ts';
import { SMALL } from './ensemble-fixture.ts';
import type { ProgramSession } from '../program-session.ts';
import { type Ended, runCommand } from './run-command.ts';

/** Clipboard, colour, C1, bidirectional text, zero width, carriage return, screen, link, title. */
export const HOSTILE =
  'a\u001B]52;c;aGFja2Vk\u0007\u001B[38;5;199m\u009B2J\u202Eb\u200B\u2066\r\u001B[2J\u001B]8;;http://evil.test\u001B\\c\u001B]0;t\u0007\u0085\u007F';
/** The part of it that git allows in a name. */
export const NAME = 'a\u009B2J\u202Eb\u200B\u2066c\u0085';
/** The part of it that a file's name allows. */
export const FILE: string = HOSTILE.replaceAll('/', '_');

/** The sequences that the command itself writes: colours, and its live lines. */
const OWN =
  /␛\[(?:(?:0|1|2|22|3[0-79]|9[0-7]|39)m|\d*[AGJK]|\?25[hl])|\r\n|\r(?=[^\p{C}␛]|␛\[(?:2?K|J|\d+A|\?25|[\d;]*m))/gu;
const CONTROLS = /[^\P{Cc}\n\t]|[␛\p{Cf}\u2028\u2029]/u;

/** The arguments of a command. */
export type Words = readonly string[];

/** Where a command runs. */
export interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Runs the command on a pseudo-terminal, and returns the bytes that it wrote. The whole form opens one for
 * each command.
 */
export async function onTerminal(session: ProgramSession, place: Place, words: Words): Promise<string> {
  if (FORM === 'whole') return onOwnTerminal(place, words);
  return (await session.run({ file: MAIN, args: words, ...place })).stdout;
}

async function onOwnTerminal({ cwd, env }: Place, words: Words): Promise<string> {
  const quoted = [process.execPath, MAIN, ...words].map((word) => `'${word.replaceAll("'", `'\\''`)}'`);
  const line = `stty cols 100 rows 40 -echo; ${quoted.join(' ')}`;
  const { stdout } = await execa('script', ['-qec', line, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', NO_COLOR: '' },
    reject: false,
    stdin: 'ignore',
    timeout: 50_000,
    stripFinalNewline: false,
  });
  return stdout;
}

/** Runs the command with pipes. */
export function piped(place: Place, words: Words): Promise<Ended> {
  return runCommand(words, place);
}

/** Returns the first control character that is not the command's own, with its surroundings. */
export function controlIn(text: string): string | undefined {
  const rest = text.replaceAll('\u001B', '␛').replaceAll(OWN, '');
  const at = rest.search(CONTROLS);
  return at === -1 ? undefined : JSON.stringify(rest.slice(Math.max(0, at - 80), at + 40));
}

function write(cwd: string, path: string, text: string): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const git = (cwd: string, ...args: Words): Buffer =>
  execFileSync('git', args as string[], { cwd, stdio: 'pipe' });

/** An agent that commits a file, writes to both outputs, answers, and ends with an exit code. */
const AGENT = [
  `. ./hostile.sh; printf '%s\\n' "$H"; printf '%s\\n' "$H" >&2`,
  `mkdir -p .vscode; echo {} > ".vscode/$F.json"; echo "$1" > "$F"; git add -Af; git commit -q -m "$H"`,
  `printf '<result>{"answer":1,"%s":"%s"}</result>\\n' k "$N"; exit "$1"`,
].join('\n');

const copyHostile = repositoryTemplate((cwd) => {
  git(cwd, 'init', '-q', '-b', 'main');
  git(cwd, 'config', 'user.name', 'Test');
  git(cwd, 'config', 'user.email', 'test@example.invalid');
  git(cwd, 'commit', '-q', '--allow-empty', '-m', 'begin');
  git(cwd, 'checkout', '-q', '-b', NAME);
  write(cwd, 'package.json', JSON.stringify({ name: HOSTILE, scripts: { x: HOSTILE } }));
  const shell = (text: string): string => `'${text}'`;
  write(cwd, 'hostile.sh', `H=${shell(HOSTILE)}\nF=${shell(FILE)}\nN=${shell(NAME)}\n`);
  write(cwd, 'agent.sh', AGENT);
  const properties = { answer: { type: 'number' }, [HOSTILE]: { type: HOSTILE, pattern: HOSTILE } };
  write(cwd, 'bad.json', JSON.stringify({ type: 'object', properties }));
  const good = { answer: { type: 'number', description: HOSTILE }, [HOSTILE]: { type: 'string' } };
  write(cwd, 'good.json', JSON.stringify({ type: 'object', title: HOSTILE, properties: good }));
  write(cwd, 'broken.json', `{"${HOSTILE}`);
  write(cwd, 's.json', JSON.stringify({ type: 'object', properties: { answer: { type: 'number' } } }));
  const entry = { endpoint: `http://127.0.0.1:1/${HOSTILE}`, model: HOSTILE, api_key: '$SOME_KEY' };
  // JSON is YAML, with escapes.
  write(cwd, 'keys.yaml', JSON.stringify({ profiles: { fast: entry } }));
  write(cwd, 'said.txt', `${HOSTILE}<result>{"answer":"${NAME}"}</result>${HOSTILE}`);
  write(
    cwd,
    'inputs.jsonl',
    `${JSON.stringify({ id: HOSTILE, X: HOSTILE })}\n${JSON.stringify({ id: NAME, X: 'x' })}\n`,
  );
  write(cwd, FILE, 'text');
  for (const [path, text] of Object.entries(SMALL)) write(cwd, path, text);
  git(cwd, 'add', '-A');
  git(cwd, '-c', `user.name=${NAME}`, 'commit', '-q', '-m', HOSTILE);
});

/** A repository whose branch, folder, files and commits have hostile names. */
export function makeHostile(): Place {
  const cwd = join(temporaryFolder(), 'repo');
  copyHostile(cwd);
  const home = temporaryFolder();
  const inputs = { INPUT_PROMPT: 'x', INPUT_TAG: 'result', INPUT_SANDBOX: 'none', INPUT_NAME: HOSTILE };
  const environment = {
    HOME: home,
    XDG_STATE_HOME: join(home, 'state'),
    TRUECAST_API_KEY: '',
    ...inputs,
    INPUT_AGENT: 'command:sh agent.sh 0',
  };
  return { cwd, env: environment };
}
