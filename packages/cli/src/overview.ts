/**
 * `truecast` without a command: prints the state of the folder and machine, and the next commands.
 */
import packageJson from '../package.json' with { type: 'json' };
import { runProgram } from 'truecast/internal/process/run-program';
import { probeBubblewrap } from 'truecast/internal/sandboxes/probe';
import { FRONT_COMMANDS } from './commands.ts';
import { findInstalledAgents } from './flags/choose-agent.ts';
import { OWN_COMMAND } from './terminal/own-command.ts';
import { printText, type Terminal, colored, columnsFor } from './terminal/print.ts';
import { wrapText } from './terminal/wrap-text.ts';

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'] as const;
/**
 * Width of the purpose before each command. A command that does not fit next to it is printed on
 * the next line.
 */
const WHAT_COLUMNS = 28;

/** Prints the state of this folder and machine, the next commands, and the usual commands. */
export async function printOverview(terminal: Terminal): Promise<void> {
  const { stdout } = terminal;
  const columns = Math.min(columnsFor(stdout), 100);
  const [branch, probe, agents] = await Promise.all([
    findBranch(),
    probeBubblewrap(),
    findInstalledAgents(process.env),
  ]);
  const keys = KEYS.filter((name) => (process.env[name] ?? '') !== '');
  const facts = [
    branch === undefined ? 'no git repository' : `a git repository (${branch})`,
    probe.works ? 'bubblewrap works' : 'no bubblewrap (truecast doctor)',
    agents.length === 0 ? 'no agent is installed' : `${agents.map(({ name }) => name).join(', ')} installed`,
    keys.length === 0 ? 'no key is set' : `${keys.join(', ')} set`,
  ];
  stdout.write(`${colored(`truecast ${packageJson.version}`, 'heading', stdout)}\n`);
  const about = [
    'Typed results from any AI agent: validated, never asserted.',
    '',
    `Here: ${facts.join(', ')}.`,
  ];
  for (const line of about) printText(`${wrapText(line, columns).join('\n')}\n`, terminal);
  for (const [what, line] of nextCommands(branch !== undefined, agents.length > 0, keys.length > 0)) {
    const isWide = WHAT_COLUMNS + line.length <= columns;
    const gap = isWide ? ' '.repeat(Math.max(1, WHAT_COLUMNS - 2 - what.length)) : '\n    ';
    stdout.write(`  ${what}${gap}${colored(line, 'good', stdout)}\n`);
  }
  stdout.write('\n');
  const start = 'Commands ';
  const lines = wrapText(FRONT_COMMANDS.join(' '), columns - start.length);
  printText(`${start}${lines.join(`\n${' '.repeat(start.length)}`)}\n`, terminal);
  const help = `Help: ${OWN_COMMAND} --help, all commands: ${OWN_COMMAND} help --all`;
  printText(`\n${wrapText(help, columns).join('\n')}\n`, terminal);
}

function nextCommands(
  isRepository: boolean,
  hasAgent: boolean,
  hasKey: boolean,
): readonly (readonly [string, string])[] {
  return [
    ...(hasAgent ? [] : [['Try it without a key', `${OWN_COMMAND} demo`] as const]),
    ...(isRepository
      ? []
      : [['Start a repository', 'git init && git commit --allow-empty -m "Begin"'] as const]),
    hasAgent
      ? ['Ask an agent', `${OWN_COMMAND} run "Find a bug" --tag bug`]
      : ['Install an agent', 'npm install -g @anthropic-ai/claude-code'],
    // The agent can have its own login.
    ...(hasAgent && !hasKey ? [['Without a key or a login', `${OWN_COMMAND} mock`] as const] : []),
    ['Serve chats and console', `${OWN_COMMAND} serve --open`],
  ];
}

async function findBranch(): Promise<string | undefined> {
  const { stdout, exitCode } = await runProgram('git', ['rev-parse', '--is-inside-work-tree'], {
    timeoutMs: 5_000,
  });
  if (exitCode !== 0 || stdout !== 'true') return undefined;
  const head = await runProgram('git', ['symbolic-ref', '--short', 'HEAD'], { timeoutMs: 5_000 });
  return head.exitCode === 0 ? head.stdout : 'detached';
}
