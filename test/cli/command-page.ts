/** Command pages: writes docs/cli.md and two pages beside it from the commands, their flags and their help texts. */
import { Argument, type Command, type Option } from 'commander';
import { COMMANDS } from '../../packages/cli/src/commands.ts';
import { TEMPLATES } from '../../packages/cli/src/init/init-choices.ts';
import { createProgram } from '../../packages/cli/src/program.ts';

const INTRODUCTION = `# The \`truecast\` command

For people who run agents from a shell or in CI. The answer is on stdout as JSON, and everything else
is on stderr.

\`\`\`sh
truecast run "Find a bug and fix it." --schema bug.json
claude -p "…" --output-format stream-json --verbose |
  truecast extract --agent claude-code --tag result --schema bug.json
truecast batch --agent codex --inputs issues.jsonl --out triaged.jsonl \\
  --prompt-file triage.md --tag result --schema triage.json
truecast report --since 7d --min-first-try 0.9
truecast doctor
\`\`\`

\`truecast --help\` lists the eight usual commands, \`truecast help --all\` every command, in groups as below.

In a clone of this repository, the command is \`npm run -s truecast -- …\`. \`truecast COMMAND --help\`
prints the same text as this page, with examples.

In a project that has Truecast installed ([packages.md](packages.md)), it is \`npx --no truecast …\`.
Do not leave out \`--no\`: \`npx\` would offer a package of that name from npm, which is not ours.

| exit code | meaning |
|---|---|
| 0 | success |
| 1 | failure |
| 2 | invalid usage |
| 3 | the answer is missing or invalid |
| 4 | \`run\`: the agent asked a question (\`--question\`) |
| 5 | \`run\`: the agent declined (\`--decline\`) |
| 130 | interrupted |

`;

const GENERATED = `
This page is generated from the commands (\`test/cli/command-page.test.ts\`).
`;

const END = `
## Templates of \`truecast init\`

\`truecast init\` asks for the agent, the sandbox and the template. Each question is also a flag, and
\`--yes\` selects the defaults. The templates are programs that you change:

${table(
  ['template', 'does'],
  Object.entries(TEMPLATES).map(([name, { hint }]) => [`\`${name}\``, hint]),
)}
Our tests run each template with a scripted agent. They do not build the images of the sandboxes.
${GENERATED}`;

const SERVER_INTRODUCTION = `# Commands of the server: serve, worker, chat

For operators of a chat server, and for people who ask it from a shell. [The server](server.md) shows how the
commands work together, and [the \`truecast\` command](cli.md) has exit codes and all other commands.
`;

const ENSEMBLE_INTRODUCTION = `# The \`truecast ensemble\` command

For people who play, compare and export [ensembles](ensemble.md) in a shell. [The \`truecast\` command](cli.md)
has all other commands.
`;

/** The page with the section of a command. */
function fileOf(name: string): string {
  if (name === 'ensemble') return 'cli-ensemble.md';
  return COMMANDS[name]?.group === 'Serve' ? 'cli-server.md' : 'cli.md';
}

/** Returns the texts of the pages, by their file in \`docs/\`. */
export async function commandPages(): Promise<Readonly<Record<string, string>>> {
  const { stdin, stdout, stderr } = process;
  const program = await createProgram(['help', '--all'], {
    terminal: { stdin, stdout, stderr },
    finish: () => Promise.resolve(),
  });
  const groups = [...new Set(Object.values(COMMANDS).map(({ group }) => group))];
  const tables = groups.map((group) => groupTable(program, group));
  const sectionsOf = (file: string): string =>
    program.commands
      .filter((command) => fileOf(command.name()) === file)
      .map((command) => section(command, 2))
      .join('\n');
  return {
    'cli.md': `${INTRODUCTION}${tables.join('\n')}\n${sectionsOf('cli.md')}${END}`,
    'cli-server.md': `${SERVER_INTRODUCTION}\n${sectionsOf('cli-server.md')}${GENERATED}`,
    'cli-ensemble.md': `${ENSEMBLE_INTRODUCTION}\n${sectionsOf('cli-ensemble.md')}${GENERATED}`,
  };
}

function groupTable(program: Command, group: string): string {
  const commands = program.commands.filter((command) => COMMANDS[command.name()]?.group === group);
  const rows = commands.map((command) => [
    `[\`${command.name()}\`](${addressOf(command.name())})`,
    command.description(),
  ]);
  return table([group, 'purpose'], rows);
}

/** Address of a command's section, from docs/cli.md. */
function addressOf(name: string): string {
  const file = fileOf(name);
  return file === 'cli.md' ? `#${name}` : `${file}#${name}`;
}

function section(command: Command, level: number): string {
  const { commands, registeredArguments, options } = command;
  const path = pathOf(command);
  const usage = `\`truecast ${path} ${command.usage()}\``;
  return [
    `${'#'.repeat(level)} ${path}`,
    '',
    command.description(),
    '',
    usage,
    '',
    optionsTable([...registeredArguments, ...options.filter(({ hidden }) => !hidden)]),
    ...commands.map((each) => section(each, level + 1)),
  ].join('\n');
}

function pathOf(command: Command): string {
  const above = command.parent;
  return above === null || above.parent === null ? command.name() : `${pathOf(above)} ${command.name()}`;
}

function optionsTable(entries: readonly (Argument | Option)[]): string {
  if (entries.length === 0) return '';
  const rows = entries.map((entry) => [
    `\`${entry instanceof Argument ? entry.name() : entry.flags}\``,
    [entry.description, choicesOf(entry), defaultOf(entry)].filter((text) => text !== '').join('; '),
  ]);
  return table(['flag', 'meaning'], rows);
}

function choicesOf({ argChoices }: Argument | Option): string {
  if (argChoices === undefined) return '';
  return `one of ${argChoices.map((each) => `\`${each}\``).join(', ')}`;
}

function defaultOf({ defaultValue, defaultValueDescription }: Argument | Option): string {
  const value: unknown = defaultValueDescription ?? defaultValue;
  return typeof value === 'string' || typeof value === 'number' ? `default: \`${value}\`` : '';
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);
  return `${lines.join('\n')}\n`;
}

/** A bar ends a cell. A tag outside of code is HTML. */
function cell(text: string): string {
  return text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/`[^`]*`|</gu, (part) => (part === '<' ? '&lt;' : part));
}
