/** Flags and help of `truecast compare`. */
import type { Command } from 'commander';
import {
  collect,
  countOf,
  positiveNumber,
  secondsOf,
  share,
  wholeNumber,
  type CommandContext,
} from '../flags/flag-values.ts';
import { addOutputFlags, DEFAULT_RETRIES } from '../flags/output-flags.ts';
import type { CompareFlags } from './compare-flags.ts';

export function addCompareCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = addOutputFlags(program.command('compare'))
    .description('Compare agents, models and modes on the same tasks: validity, correctness, time, cost.')
    .argument('[prompt]', 'a prompt template: {{KEY}} arguments; - or no prompt for stdin')
    .requiredOption(
      '--inputs <file>',
      'JSON Lines file: each key replaces its {{KEY}}, and `expected` is the right answer',
    )
    .option('--agent <agent>', 'as for `truecast run`; repeatable', collect)
    .option('--model <name>', 'http://…/v1#model, or a name in the file of --models; repeatable', collect)
    .option('--models <file>', 'a models.yaml with addresses, settings and prices')
    .option(
      '--mode <mode>',
      'mode of the answer: tag, native, mcp (agents), tool, json (models); repeatable: each mode runs with each contestant',
      collect,
    )
    .option('-p, --prompt <text>', 'the prompt template, instead of the argument')
    .option('--prompt-file <file>', 'a file that contains the template; - for stdin')
    .option('--repeat <count>', 'trials of each contestant with each input', countOf, 3)
    .option(
      '--seed <number>',
      'seed for the order of trials; for models, the repeat number is the sampling seed',
      wholeNumber,
      1,
    )
    .option(
      '--check <command>',
      'shell command that reads the answer on stdin, and exits with 0 if it is right',
    )
    .option(
      '--max-corrections <count>',
      `corrections of an invalid answer (default: ${DEFAULT_RETRIES}; 0 for agents that cannot resume)`,
      wholeNumber,
    )
    .option(
      '--lenient',
      'models: accept a longer reply if it contains exactly one object that fits the schema',
    );
  addPlaceFlags(addBoundFlags(command))
    .option('--json', 'print the comparison as JSON instead of a table')
    .option('--quiet', 'do not show each trial')
    .addHelpText('after', EXAMPLES)
    .action((word: string | undefined, flags: CompareFlags) =>
      finish(async () => (await import('./compare-command.ts')).compareCommand(word, flags, terminal), flags),
    );
}

function addBoundFlags(command: Command): Command {
  return command
    .option(
      '--out <dir>',
      'folder for results.jsonl, compare.json and compare.html; stored trials are not repeated',
      'compare',
    )
    .option('--retry-failed', 'also repeat trials that failed earlier')
    .option('--min-first-try <share>', 'exit with 1 if fewer answers were valid on the first try', share)
    .option(
      '--min-valid <share>',
      'exit with 1 if fewer answers were valid; stops a contestant early if its interval is below this share',
      share,
    )
    .option('--min-right <share>', 'exit with 1 if fewer answers were right', share)
    .option(
      '--budget-tokens <count>',
      'stop when all trials together have used more than this many tokens',
      positiveNumber,
    )
    .option(
      '--budget-usd <amount>',
      'stop when all trials together have cost more than this many US dollars',
      positiveNumber,
    );
}

function addPlaceFlags(command: Command): Command {
  return command
    .option('--concurrency <count>', 'number of concurrent trials', countOf, 1)
    .option('--sandbox <name>', 'as for `truecast run`')
    .option('--image-name <name>', 'as for `truecast run`')
    .option('--egress <policy>', 'as for `truecast run`')
    .option('--cwd <dir>', 'the repository of the agents (default: the current folder)')
    .option(
      '--timeout <time>',
      'timeout of each trial of an agent, and of each request to a model',
      secondsOf,
    );
}

const EXAMPLES = `
Examples:
  $ truecast compare --inputs issues.jsonl --schema bug.json --agent claude-code --agent codex "Is this a bug? {{TITLE}}"
  $ truecast compare --inputs issues.jsonl --schema bug.json --prompt-file bug.md --model http://localhost:11434/v1#qwen3:8b --mode native --mode json --repeat 5 --min-valid 0.9

Exit codes: 0 compared, 1 a threshold is missed or the budget is spent, 2 invalid usage, 130 interrupted.`;
