#!/usr/bin/env node
/** The `truecast` command: its subcommands, flags and exit codes. */
import { Command, CommanderError, Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { StructuredOutputError } from '../errors/structured-output-error.ts';
import { addBatchCommand } from './batch-command.ts';
import { addCheckCommand } from './check-command.ts';
import { addCleanCommand } from './clean-command.ts';
import { SANDBOX_NAMES } from './flags/choose-sandbox.ts';
import { doctorCommand } from './doctor-command.ts';
import { doctorSecurityCommand, type DoctorFlags } from './doctor-security-command.ts';
import { addEnsembleCommand } from './ensemble/ensemble-command.ts';
import { EXIT, exitCodeOf } from './terminal/exit-codes.ts';
import { extractCommand, type ExtractFlags } from './extract-command.ts';
import { positiveNumber, wholeNumber } from './flags/flag-values.ts';
import { addImageCommands } from './image-command.ts';
import { addInitCommand } from './init/init-command.ts';
import { addInstructionsCommand } from './instructions-command.ts';
import { EGRESS_FORMS } from './flags/parse-egress.ts';
import { errorToJson, printResult, tell } from './terminal/print.ts';
import { maskError } from '../masking/mask-error.ts';
import { createSecretMask } from '../masking/secret-mask.ts';
import { secretValues } from '../masking/secret-values.ts';
import { addReportCommand } from './report-command.ts';
import { runCommand, type RunFlags } from './run-command.ts';
import { addServeCommands } from './serve/serve-commands.ts';
import { editableOption, sensitiveChangesOption } from './terminal/tell-sensitive-changes.ts';

const terminal = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr };

const program = new Command('truecast')
  .description('Typed results from any AI agent: validated, never asserted.')
  .version(packageJson.version)
  .showHelpAfterError()
  .exitOverride()
  .addHelpText(
    'after',
    `
Exit codes: 0 done, 1 failed, 2 wrong use, 3 the agent finished and its answer was missing or invalid, 130 interrupted.
The answer (JSON) is on stdout, all else on stderr.`,
  );

addOutputFlags(program.command('run'))
  .description('Run a coding agent on a branch in a sandbox, and print its typed answer.')
  .requiredOption(
    '--agent <agent>',
    'claude-code[:MODEL], codex[:MODEL], copilot[:MODEL], cursor[:MODEL], gemini-cli[:MODEL], opencode[:MODEL], pi[:MODEL], command:LINE or replay:FILE',
  )
  .option('--prompt <text>', 'the literal prompt')
  .option('--prompt-file <file>', 'a prompt template: {{KEY}} arguments, !`command` expressions')
  .option('--arg <KEY=VALUE...>', 'a value for the template; repeatable')
  .addOption(new Option('--via <route>', 'route of the answer without a tag').choices(['native', 'mcp']))
  .option('--max-retries <count>', 'attempts after the first', wholeNumber)
  .option('--resume <session>', 'continue a session of the agent')
  .option('--record <file>', 'record the agent; --agent replay:FILE plays it back with no key and no network')
  .option('--sandbox <name>', `${SANDBOX_NAMES.join(', ')} (default: the best that works here, never none)`)
  .option('--image-name <name>', 'image for docker and podman (default: truecast:FOLDER of the repository)')
  .option('--egress <policy>', `allowed connections of the sandbox: ${EGRESS_FORMS}`)
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
    'silence after which the agent counts as hung (default: 600)',
    positiveNumber,
  )
  .option('--budget-tokens <count>', 'stop the run if it used more', positiveNumber)
  .option('--budget-requests <count>', 'stop the run if it sent more requests to its model', wholeNumber)
  .option('--budget-usd <amount>', 'stop the run if it spent more', positiveNumber)
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

addOutputFlags(program.command('extract'))
  .description('Read a transcript, and print its validated answer.')
  .argument('[file]', 'the transcript (default: stdin)')
  .option('--agent <agent>', 'the transcript is the event stream of this agent (default: plain text)')
  .option('--json', 'print { output, provenance } or the error')
  .addHelpText(
    'after',
    `
Examples:
  $ truecast extract --tag result --schema bug.json transcript.txt
  $ claude -p "…" --output-format stream-json --verbose | truecast extract --agent claude-code --tag result --schema bug.json`,
  )
  .action((file: string | undefined, flags: ExtractFlags) =>
    finish(() => extractCommand(file, flags, terminal), flags),
  );

program
  .command('doctor')
  .description('Test the capabilities of this machine, and suggest fixes for missing ones.')
  .option('--json', 'print the findings as JSON')
  .option('--security', 'try to break out of each sandbox that works here, and print the results')
  .addHelpText('after', '\nExamples:\n  $ truecast doctor\n  $ truecast doctor --security')
  .action((flags: DoctorFlags) =>
    finish(
      () =>
        flags.security === true ? doctorSecurityCommand(flags, terminal) : doctorCommand(flags, terminal),
      flags,
    ),
  );

addBatchCommand(program, { terminal, finish });
addCheckCommand(program, { terminal, finish });
addCleanCommand(program, { terminal, finish });
addEnsembleCommand(program, { terminal, finish });
addImageCommands(program, { terminal, finish });
addInitCommand(program, { terminal, finish });
addInstructionsCommand(program, { terminal, finish });
addReportCommand(program, { terminal, finish });
addServeCommands(program, { terminal, finish });

function addOutputFlags(command: Command): Command {
  return command
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--tag <name>', 'the answer is between <name> and </name>; without --schema, as text');
}

async function finish(action: () => Promise<void>, { json }: { readonly json?: boolean }): Promise<void> {
  try {
    await action();
  } catch (failure) {
    process.exitCode = exitCodeOf(failure);
    // A run masks its own errors with its own environment. Errors of other commands can quote files
    // too.
    const error = maskError(failure, createSecretMask(secretValues(process.env)));
    tell(`truecast: ${error instanceof Error ? error.message : String(error)}`, terminal);
    if (StructuredOutputError.isInstance(error) && error.preservedWorktreePath !== undefined) {
      tell(`Its work is kept: branch ${error.branch}, worktree ${error.preservedWorktreePath}`, terminal);
    }
    if (json === true) await printResult({ error: errorToJson(error) }, terminal);
  }
}

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
}
