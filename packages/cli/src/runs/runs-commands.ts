/** Commands of agent runs on a server, and their flags. The implementation is loaded when one is called. */
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { AGENT_RUN_STATUSES } from '@truecast/client/internal/wire/wire-codes';
import {
  addServerFlags,
  addTimeoutFlags,
  collect,
  countOf,
  positiveNumber,
  secondsOf,
  type CommandContext,
} from '../flags/flag-values.ts';
import { addModeFlags, addOutcomeFlags, addOutputFlags } from '../flags/output-flags.ts';
import type { PatchOfRunFlags } from './artifact-commands.ts';
import type { RunsBatchFlags } from './batch-command.ts';
import type { ContinueFlags, UpdateFlags } from './continue-command.ts';
import type { CreateRunFlags } from './create-command.ts';
import type { ListFlags, ShowFlags } from './show-commands.ts';
import type { WaitFlags } from './watch-run.ts';
import { addWebhooks } from './runs-webhook-commands.ts';

const ID = 'id of the run';
const METADATA = 'a value by which `runs list` finds the run; repeatable';
const PRIORITY = 'higher ones are started first, -100 to 100';
const MAX_PRIORITY = 100;
/** Listed here, so that the help loads no client. The record fails to compile if one is missing. */
const STATUSES: Readonly<Record<(typeof AGENT_RUN_STATUSES)[number], true>> = {
  queued: true,
  running: true,
  canceling: true,
  succeeded: true,
  failed: true,
  canceled: true,
};

/** Adds `truecast runs`. */
export function addRunsCommands(program: Command, context: CommandContext): void {
  const group = program
    .command('runs')
    .description(
      'Durable agent runs on a server: create, batch, list, show, watch, logs, patch, update, cancel, retry, continue, webhooks.',
    );
  addCreate(group, context);
  addBatch(group, context);
  addReading(group, context);
  addArtifacts(group, context);
  addChanging(group, context);
  addContinue(group, context);
  addWebhooks(group, context);
}

function addWaitFlags(command: Command): Command {
  return addServerFlags(command)
    .option('--json', 'print { output, commits, branch, receipt } or the error')
    .option('--quiet', 'do not show the progress of the run');
}

function addCreate(group: Command, { terminal, finish }: CommandContext): void {
  const command = group
    .command('create')
    .description('Create a run and print its id; with --wait, wait for its end and print its typed answer.')
    .argument('[prompt]', 'the prompt, literally; - or no prompt for stdin')
    .requiredOption('--repository <name>', "a name from the server's configuration")
    .requiredOption('--agent <agent>', 'an agent of the server: NAME or NAME:MODEL')
    .option('-p, --prompt <text>', 'the prompt, instead of the argument')
    .option('--prompt-file <file>', 'a file with the prompt, read literally; - for stdin')
    .option('--ref <ref>', 'branch, tag or commit to begin at (default: HEAD of the repository)')
    .option('--branch <name>', 'branch of the work (default: truecast/runs/ID)');
  addWaitFlags(addRequestFlags(addBudgetFlags(addAnswerFlags(command), 'stop the run after more than')))
    .option('--wait', 'wait for the end; Ctrl+C stops the waiting, not the run')
    .addHelpText(
      'after',
      `
Examples:
  $ truecast runs create "Fix the failing test." --repository web --agent claude-code --schema fix.json --wait
  $ truecast runs create --prompt-file task.md --repository web --agent codex:gpt-5.4 --metadata issue=42`,
    )
    .action((prompt: string | undefined, flags: CreateRunFlags) =>
      finish(
        async () => (await import('./create-command.ts')).createRunCommand(prompt, flags, terminal),
        flags,
      ),
    );
}

function addBatch(group: Command, { terminal, finish }: CommandContext): void {
  const command = group
    .command('batch')
    .description(
      'Run one prompt on many inputs, resumable from any machine. Each result is one line of JSON.',
    )
    .argument('[prompt]', 'a prompt template: {{KEY}} arguments; - or no prompt for stdin')
    .requiredOption('--inputs <file>', 'JSON Lines file: each key replaces its {{KEY}} in the prompt')
    .requiredOption('--repository <name>', "a name from the server's configuration")
    .requiredOption('--agent <agent>', 'an agent of the server: NAME or NAME:MODEL')
    .option('-p, --prompt <text>', 'the prompt template, instead of the argument')
    .option('--prompt-file <file>', 'a file that contains the template; - for stdin')
    .option(
      '--out <file>',
      'append results to this file, and skip those that it already contains (default: stdout)',
    )
    .option('--name <name>', 'name of the batch (default: one for this prompt, agent and schema)')
    .option('--ref <ref>', 'branch, tag or commit to begin at (default: HEAD of the repository)');
  const about = 'start no further item of the batch once its runs together have used';
  addServerFlags(addRequestFlags(addBudgetFlags(addAnswerFlags(command), about)))
    .option('--json', 'with --out: print the summary as JSON')
    .option('--quiet', 'show only failures')
    .addHelpText(
      'after',
      `
Example:
  $ truecast runs batch --inputs issues.jsonl --repository web --agent claude-code --schema bug.json --out bugs.jsonl "Is this a bug? {{TITLE}}"
Exit codes: 0 no item failed, 1 an item failed, 2 invalid usage, 130 interrupted.`,
    )
    .action((word: string | undefined, flags: RunsBatchFlags) =>
      finish(async () => (await import('./batch-command.ts')).runsBatchCommand(word, flags, terminal), flags),
    );
}

function addAnswerFlags(command: Command): Command {
  const answering = addOutcomeFlags(addOutputFlags(command, 'the mode of the agent, else result'));
  return addModeFlags(answering, { retries: 'corrections of an invalid answer (default: 2)' });
}

/** `of`: what ends at the budget. */
function addBudgetFlags(command: Command, of: string): Command {
  return command
    .option('--budget-tokens <count>', `${of} this many tokens`, countOf)
    .option('--budget-usd <amount>', `${of} this many US dollars`, positiveNumber);
}

function addRequestFlags(command: Command): Command {
  return addTimeoutFlags(command, { about: 'timeout of the whole run, such as 90, 90s or 5m (default: 1h)' })
    .option('--executions <count>', 'executions before a lost run fails (default: 3)', countOf)
    .addOption(
      new Option(
        '--on-worker-loss <policy>',
        'for an agent whose session was not stored: start it again if its egress is none or model (auto), always (restart), or never (resume); fail also continues no session on another machine (default: auto)',
      ).choices(['auto', 'resume', 'restart', 'fail']),
    )
    .addOption(
      new Option(
        '--push <when>',
        "push the branch to the repository's address: after each turn and at the end (always), at the end of a run that succeeded (on_success), or never (default: what the server's configuration allows)",
      ).choices(['always', 'on_success', 'never']),
    )
    .option('--read-only', 'throw away what the agent writes: no branch, no commits and no push')
    .option('--metadata <KEY=VALUE>', METADATA, collect)
    .option('--priority <number>', `${PRIORITY} (default: 0)`, priorityOf)
    .option('--webhook <url>', 'send a signed request there when the run has ended')
    .option('--expires <time>', 'cancel the run if it has not started after this time', secondsOf);
}

function priorityOf(text: string): number {
  if (/^-?\d+$/u.test(text) && Math.abs(Number(text)) <= MAX_PRIORITY) return Number(text);
  throw new InvalidArgumentError(`Expected a whole number from -${MAX_PRIORITY} to ${MAX_PRIORITY}.`);
}

function addReading(group: Command, { terminal, finish }: CommandContext): void {
  addServerFlags(group.command('list').description('List the runs of the owner, the newest first.'))
    .addOption(new Option('--status <status>', 'only runs with this status').choices(Object.keys(STATUSES)))
    .option('--repository <name>', 'only runs in this repository')
    .option('--agent <name>', 'only runs of this agent')
    .option('--metadata <KEY=VALUE>', 'only runs with this value')
    .option('--limit <count>', 'number of runs (default: 20)', countOf)
    .option('--json', 'print { runs, next }')
    .action((flags: ListFlags) =>
      finish(async () => (await import('./show-commands.ts')).listRunsCommand(flags, terminal), flags),
    );
  addServerFlags(
    group.command('show').description('Print the state and the receipt of a run.').argument('<id>', ID),
  )
    .option('--json', 'print the run as the server returns it')
    .action((id: string, flags: ShowFlags) =>
      finish(async () => (await import('./show-commands.ts')).showRunCommand(id, flags, terminal), flags),
    );
  addWaitFlags(
    group
      .command('watch')
      .description('Show the progress of a run, wait for its end, and print its answer.')
      .argument('<id>', ID),
  ).action((id: string, flags: WaitFlags) =>
    finish(async () => (await import('./change-commands.ts')).watchRunCommand(id, flags, terminal), flags),
  );
}

function addArtifacts(group: Command, { terminal, finish }: CommandContext): void {
  addServerFlags(
    group
      .command('logs')
      .description('Print the log of a run: everything that its agent printed and called.')
      .argument('<id>', ID),
  ).action((id: string, flags: ShowFlags) =>
    finish(async () => (await import('./artifact-commands.ts')).logsCommand(id, flags, terminal), flags),
  );
  addServerFlags(
    group.command('patch').description('Print the commits of a run as one patch.').argument('<id>', ID),
  )
    .option('--uncommitted', 'the changes that the agent did not commit, instead of its commits')
    .addHelpText('after', '\nExample:\n  $ truecast runs patch ID | git apply')
    .action((id: string, flags: PatchOfRunFlags) =>
      finish(
        async () => (await import('./artifact-commands.ts')).patchOfRunCommand(id, flags, terminal),
        flags,
      ),
    );
  addServerFlags(
    group
      .command('artifact')
      .description('List the artifacts of a run, or print one of them, such as session.')
      .argument('<id>', ID)
      .argument('[name]', 'log, changes.patch, uncommitted.patch, recording.jsonl or session'),
  )
    .option('--json', 'print the list as the server returns it')
    .action((id: string, name: string | undefined, flags: ShowFlags) =>
      finish(
        async () => (await import('./artifact-commands.ts')).artifactCommand(id, name, flags, terminal),
        flags,
      ),
    );
}

function addChanging(group: Command, { terminal, finish }: CommandContext): void {
  addServerFlags(group.command('cancel').description('End a run. Its commits remain.').argument('<id>', ID))
    .option('--json', 'print the run as the server returns it')
    .action((id: string, flags: ShowFlags) =>
      finish(async () => (await import('./change-commands.ts')).cancelRunCommand(id, flags, terminal), flags),
    );
  addServerFlags(
    group
      .command('delete')
      .description('Remove the events and the artifacts of a run that has ended. Its receipt remains.')
      .argument('<id>', ID),
  ).action((id: string, flags: ShowFlags) =>
    finish(async () => (await import('./change-commands.ts')).deleteRunCommand(id, flags, terminal), flags),
  );
  addServerFlags(
    group
      .command('cancel-batch')
      .description('Cancel a batch and its runs.')
      .argument('<id>', 'id of the batch'),
  )
    .option('--json', 'print the batch as the server returns it')
    .action((id: string, flags: ShowFlags) =>
      finish(async () => (await import('./batch-command.ts')).cancelBatchCommand(id, flags, terminal), flags),
    );
  addWaitFlags(
    group
      .command('retry')
      .description('Create a new run with the request of one that has ended, and print its id.')
      .argument('<id>', ID),
  )
    .option('--wait', 'wait for the end of the new run, and print its answer')
    .action((id: string, flags: WaitFlags & { readonly wait?: true }) =>
      finish(async () => (await import('./change-commands.ts')).retryRunCommand(id, flags, terminal), flags),
    );
}

function addContinue(group: Command, { terminal, finish }: CommandContext): void {
  const command = group
    .command('continue')
    .description('Continue a run that has ended: a new run on its branch, in the session of its agent.')
    .argument('<id>', ID)
    .argument('[message]', 'the next prompt, or the answer to its question; - or no message for stdin')
    .option('-p, --prompt <text>', 'the message, instead of the argument')
    .option('--prompt-file <file>', 'a file with the message, read literally; - for stdin')
    .option('--fork', 'work on a new branch, which begins at the last commit of the run');
  addWaitFlags(addAnswerFlags(command))
    .option('--wait', 'wait for the end of the new run, and print its answer')
    .action((id: string, message: string | undefined, flags: ContinueFlags) =>
      finish(
        async () => (await import('./continue-command.ts')).continueRunCommand(id, message, flags, terminal),
        flags,
      ),
    );
  addServerFlags(
    group.command('update').description('Change a run: its priority and its metadata.').argument('<id>', ID),
  )
    .option('--priority <number>', PRIORITY, priorityOf)
    .option('--metadata <KEY=VALUE>', `${METADATA}; replaces all values`, collect)
    .option('--json', 'print the run as the server returns it')
    .action((id: string, flags: UpdateFlags) =>
      finish(
        async () => (await import('./continue-command.ts')).updateRunCommand(id, flags, terminal),
        flags,
      ),
    );
}
