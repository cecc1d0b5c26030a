/** Flags and help of `truecast run`. */
import { Option, type Command } from 'commander';
import { addOutputFlags } from './flags/output-flags.ts';
import { SANDBOX_NAMES } from './flags/choose-sandbox.ts';
import { positiveNumber, wholeNumber, type CommandContext } from './flags/flag-values.ts';
import { EGRESS_FORMS } from './flags/parse-egress.ts';
import { runCommand, type RunFlags } from './run-command.ts';
import { editableOption, sensitiveChangesOption } from './terminal/tell-sensitive-changes.ts';

/** Adds the command to the program. */
export function addRunCommand(program: Command, { terminal, finish }: CommandContext): void {
  addOutputFlags(program.command('run'))
    .description('Run a coding agent on a branch in a sandbox, and print its typed answer.')
    .requiredOption(
      '--agent <agent>',
      'claude-code[:MODEL], codex[:MODEL], copilot[:MODEL], cursor[:MODEL], gemini-cli[:MODEL], opencode[:MODEL], pi[:MODEL], command:LINE or replay:FILE',
    )
    .option('--prompt <text>', 'the literal prompt')
    .option('--prompt-file <file>', 'a prompt template: {{KEY}} arguments, !`command` expressions')
    .option('--arg <KEY=VALUE...>', 'a value for a {{KEY}} of the template; repeatable')
    .addOption(
      new Option('--via <route>', 'how the agent returns the answer, instead of a tag').choices([
        'native',
        'mcp',
      ]),
    )
    .option('--max-retries <count>', 'retries after an invalid answer', wholeNumber)
    .option('--resume <session>', 'resume a session of the agent')
    .option('--record <file>', 'record the agent; --agent replay:FILE replays it without a key or network')
    .option(
      '--sandbox <name>',
      `${SANDBOX_NAMES.join(', ')} (default: the first that works here, never none)`,
    )
    .option('--image-name <name>', 'image for docker and podman (default: truecast:FOLDER of the repository)')
    .option('--egress <policy>', `network access of the sandbox: ${EGRESS_FORMS}`)
    .option('--branch <name>', 'work on this branch (default: a new one, never merged)')
    .option('--merge', 'merge into the current branch after a valid answer')
    .option('--head', 'work in the checkout itself')
    .addOption(sensitiveChangesOption())
    .addOption(editableOption())
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--name <name>', 'included in the branch and log file names')
    .option('--timeout <seconds>', 'timeout of the whole run', positiveNumber)
    .option(
      '--idle-timeout <seconds>',
      'stop an agent that prints nothing for this long (default: 600)',
      positiveNumber,
    )
    .option('--budget-tokens <count>', 'stop the run when it has used more', positiveNumber)
    .option('--budget-requests <count>', 'stop the run when it has sent more model requests', wholeNumber)
    .option('--budget-usd <amount>', 'stop the run when it has spent more', positiveNumber)
    .option('--json', 'print { output, provenance, commits, branch, … } or the error')
    .option('--quiet', 'do not show the progress of the agent')
    .option('--verbose', 'also show the raw output of the agent as it arrives')
    .addHelpText(
      'after',
      `
  Examples:
    $ truecast run --agent claude-code --prompt "Find a bug. Answer in <result>." --schema bug.json --tag result
    $ truecast run --agent codex:gpt-5.4 --prompt-file triage.md --arg ISSUE=42 --schema ./schemas.ts#triage --via native
    $ truecast run --agent claude-code --prompt "Triage ISSUE.md." --schema triage.json --via mcp
    $ truecast run --agent "command:node my-agent.mjs" --prompt "Answer in <result>." --tag result --sandbox none`,
    )
    .action((flags: RunFlags) => finish(() => runCommand(flags, terminal), flags));
}
