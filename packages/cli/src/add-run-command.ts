/** Flags and help of `truecast run`. */
import { Option, type Command } from 'commander';
import { addOutcomeFlags, addOutputFlags, addRetryFlags, DEFAULT_RETRIES } from './flags/output-flags.ts';
import {
  addBranchFlags,
  addLimitFlags,
  collect,
  positiveNumber,
  secondsOf,
  wholeNumber,
  type CommandContext,
} from './flags/flag-values.ts';
import {
  ACP_PRESET_NAMES,
  AGENT_NAMES,
  EXPERIMENTAL_AGENT_NAMES,
} from 'truecast/internal/agents/registry/agent-names';
import { SANDBOX_NAMES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { EGRESS_FORMS } from './flags/parse-egress.ts';
import type { GivenFlag, RunFlags } from './run-command.ts';
import {
  editableOption,
  secretsInCommitsOption,
  sensitiveChangesOption,
} from './terminal/tell-sensitive-changes.ts';

/** Returns the name of an agent, with a mark if it is experimental. */
function marked(name: string): string {
  return EXPERIMENTAL_AGENT_NAMES.some((experimental) => experimental === name)
    ? `${name} (experimental)`
    : name;
}

/** Returns the flags that the caller gave, as words of a command line. */
function givenFlags(command: Command): readonly GivenFlag[] {
  return command.options.flatMap((option): readonly GivenFlag[] => {
    const name = option.attributeName();
    const value: unknown = command.getOptionValue(name);
    if (command.getOptionValueSource(name) !== 'cli') return [];
    const flag = option.long ?? option.flags;
    if (option.isBoolean()) return [{ flag, words: [flag] }];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return [{ flag, words: values.flatMap((each) => [flag, String(each)]) }];
  });
}

/** Adds `--resume`, `--answer` and `--no-input`. */
function addSessionFlags(command: Command): Command {
  return command
    .option('--resume <session>', 'resume a session of the agent')
    .option(
      '--answer <text>',
      'with --resume: the answer to the question of the session, instead of a prompt',
    )
    .option('--no-input', 'never ask the person at the terminal: a question ends the run');
}

export function addRunCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addOutputFlags(program.command('run'))
    .description('Run a coding agent on a branch in a sandbox, and print its typed answer.')
    .argument('[prompt]', 'the prompt, literally; - or no prompt for stdin')
    .option(
      '--agent <agent>',
      `${[...AGENT_NAMES.map(marked), ...ACP_PRESET_NAMES].join(', ')}: NAME or NAME:MODEL; also command:LINE, replay:FILE (default: the first installed agent)`,
    )
    .option('-p, --prompt <text>', 'the prompt, instead of the argument')
    .option(
      '--prompt-file <file>',
      'a prompt template: {{KEY}} arguments, !`command` expressions; - for stdin',
    )
    .option('--arg <KEY=VALUE>', 'a value for a {{KEY}} of the template; repeatable', collect)
    .option('--attach <file>', 'a file for the agent to read, which is not committed; repeatable', collect)
    .option('--prompt-timeout <time>', 'limit for each !`command` of the template (default: 30s)', secondsOf);
  const retries = `corrections of an invalid answer (default: ${DEFAULT_RETRIES} if the agent can resume, else 0)`;
  addSessionFlags(addRetryFlags(addLimitFlags(addBranchFlags(addOutcomeFlags(command))), { retries }))
    .option('--record <file>', 'record the agent; --agent replay:FILE replays it without a key or network')
    .option(
      '--sandbox <name>',
      `${SANDBOX_NAMES.join(', ')} (default: the first that works here, never none)`,
    )
    .option('--image-name <name>', 'image for docker and podman (default: truecast:FOLDER of the repository)')
    .option('--egress <policy>', `network access of the sandbox: ${EGRESS_FORMS}`)
    .addOption(sensitiveChangesOption())
    .addOption(secretsInCommitsOption())
    .addOption(editableOption())
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--name <name>', 'included in the branch and log file names')
    .option('--timeout <time>', 'timeout of the whole run, such as 90, 90s or 5m', secondsOf)
    .option(
      '--idle-timeout <time>',
      'stop an agent that prints nothing for this long (default: 10m)',
      secondsOf,
    )
    .option('--budget-tokens <count>', 'stop the run after more than this many tokens', positiveNumber)
    .option('--budget-requests <count>', 'stop the run after more than this many model requests', wholeNumber)
    .option('--budget-usd <amount>', 'stop the run after more than this many US dollars', positiveNumber)
    .option('--json', 'print { output, provenance, commits, branch, … } or the error')
    .option('--quiet', 'do not show the progress of the agent')
    .addOption(
      new Option('--verbose', 'also show the raw output of the agent as it arrives').conflicts('quiet'),
    )
    .addHelpText('after', EXAMPLES)
    .action((prompt: string | undefined, flags: RunFlags) =>
      finish(async () => {
        const { runCommand } = await import('./run-command.ts');
        await runCommand(prompt, { ...flags, given: givenFlags(command) }, terminal);
      }, flags),
    );
}

const EXAMPLES = `
Examples:
  $ truecast run "Find a bug and fix it." --schema bug.json
  $ git diff main | truecast run --agent codex:gpt-5.4 --schema ./schemas.ts#review
  $ truecast run "Fix the layout in the screenshot." --attach shot.png
  $ truecast run --prompt-file triage.md --arg ISSUE=42 --schema triage.json --mode native
  $ truecast run "Say hello." --agent "command:node my-agent.mjs" --tag result --sandbox none`;
