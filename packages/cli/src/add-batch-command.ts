/** Flags and help of `truecast batch`. */
import type { Command } from 'commander';
import type { BatchFlags } from './batch-command.ts';
import {
  collect,
  positiveNumber,
  wholeNumber,
  type CommandContext,
  addLimitFlags,
  addTimeoutFlags,
} from './flags/flag-values.ts';
import { addOutcomeFlags, addOutputFlags, addRetryFlags, DEFAULT_RETRIES } from './flags/output-flags.ts';

export function addBatchCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addOutputFlags(program.command('batch'))
    .description('Run one prompt on many inputs, resumable. Each result is one line of JSON.')
    .argument('[prompt]', 'a prompt template: {{KEY}} arguments; - or no prompt for stdin')
    .requiredOption('--inputs <file>', 'JSON Lines file: each key replaces its {{KEY}} in the prompt')
    .option('--agent <agent>', 'as for `truecast run` (default: the first installed agent)')
    .option('-p, --prompt <text>', 'the prompt template, instead of the argument')
    .option('--prompt-file <file>', 'a file that contains the template; - for stdin')
    .option('--arg <KEY=VALUE>', 'a value for a {{KEY}} of the template in all items; repeatable', collect);
  command.option(
    '--attach <file>',
    'a file for the agents to read, which is not committed; {{KEY}} as in --cwd; repeatable',
    collect,
  );
  const placed = addBudgetFlags(
    addRetryFlags(addLimitFlags(addOutcomeFlags(command)), {
      retries: `corrections of an invalid answer, per item (default: ${DEFAULT_RETRIES} if the agent can resume, else 0)`,
    }),
  )
    .option(
      '--out <file>',
      'append results to this file, and skip inputs that it already contains (default: stdout)',
    )
    .option('--retry-failed', 'also repeat inputs that failed earlier')
    .option('--concurrency <count>', 'number of concurrent runs (default: 4)', wholeNumber)
    .option('--sandbox <name>', 'as for `truecast run`')
    .option('--image-name <name>', 'as for `truecast run`')
    .option('--egress <policy>', 'as for `truecast run`')
    .option('--branch-prefix <prefix>', 'name the branches <prefix>/<id or line>-<6 hex digits>')
    .option(
      '--read-only',
      'throw away what agents write; items share worktrees, which saves one checkout per item',
    )
    .option(
      '--cwd <dir>',
      'the repository, or that of each item: {{KEY}} is replaced by the value of the input (default: the current folder)',
    )
    .option('--name <name>', 'included in the branch and log file names');
  addTimeoutFlags(placed, { about: 'timeout of each item, such as 90, 90s or 5m' })
    .option('--json', 'with --out: print the summary as JSON')
    .option('--quiet', 'show only failures, and changes that run code on this machine later')
    .addHelpText('after', EXAMPLES)
    .action((word: string | undefined, flags: BatchFlags) =>
      finish(async () => (await import('./batch-command.ts')).batchCommand(word, flags, terminal), flags),
    );
}

function addBudgetFlags(command: Command): Command {
  return command
    .option(
      '--budget-tokens <count>',
      'stop the batch when its runs together have used more than this many tokens',
      positiveNumber,
    )
    .option(
      '--budget-requests <count>',
      'stop the batch when its runs together have sent more than this many model requests, since this start',
      wholeNumber,
    )
    .option(
      '--budget-usd <amount>',
      'stop the batch when its runs together have cost more than this many US dollars',
      positiveNumber,
    );
}

const EXAMPLES = `
Examples:
  $ truecast batch --inputs issues.jsonl --schema bug.json --out bugs.jsonl "Is this a bug? {{TITLE}}"
  $ truecast batch --inputs repositories.jsonl --cwd "{{PATH}}" --branch-prefix update "Update the dependencies. Commit."
  $ truecast batch --inputs bugs.jsonl --attach "shots/{{id}}.png" "Describe the bug of {{TITLE}}."
  $ truecast batch --inputs files.jsonl --prompt-file review.md --schema review.json --agent codex --concurrency 8 --branch-prefix review | jq .output
Exit codes: 0 no item failed, 1 an item failed, 2 invalid usage, 130 interrupted.`;
