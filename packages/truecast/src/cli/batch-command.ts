/** `truecast batch`: runs one prompt over the lines of a file. Each answer is one line of JSON. */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import type { BatchOptions } from '../run/batch/batch-options.ts';
import type { BatchResult } from '../run/batch/batch-queue.ts';
import { runBatch } from '../run/batch/run-batch.ts';
import { createBatchProgressView, describeSummary } from './batch-progress.ts';
import { chooseAgent } from './flags/choose-agent.ts';
import { chooseSandbox } from './flags/choose-sandbox.ts';
import { EXIT } from './terminal/exit-codes.ts';
import {
  budgetOf,
  positiveNumber,
  secondsOf,
  wholeNumber,
  type BudgetFlags,
  type CommandContext,
} from './flags/flag-values.ts';
import { addRetryFlags } from './flags/output-flags.ts';
import { loadOutput, type OutputFlags } from './flags/load-output.ts';
import { printResult, tell, toJsonText, type Terminal } from './terminal/print.ts';

/** Flags of `truecast batch`. */
export interface BatchFlags extends OutputFlags, BudgetFlags {
  readonly inputs: string;
  readonly agent: string;
  readonly prompt?: string;
  readonly promptFile?: string;
  readonly out?: string;
  readonly retryFailed?: boolean;
  readonly concurrency?: number;
  readonly sandbox?: string;
  readonly imageName?: string;
  readonly egress?: string;
  readonly branchPrefix?: string;
  readonly readOnly?: boolean;
  readonly cwd?: string;
  readonly name?: string;
  readonly timeout?: number;
  readonly idleTimeout?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs the batch. Sets exit code 1 if any item failed, in this run or an earlier one. */
async function batchCommand(flags: BatchFlags, terminal: Terminal): Promise<void> {
  const options = await toBatchOptions(flags, terminal);
  const view = createBatchProgressView(terminal, { isQuiet: flags.quiet === true });
  try {
    const summary = await untilInterrupted((signal) =>
      runBatch({
        ...options,
        signal,
        onProgress: view.update,
        ...(flags.out === undefined && { onResult: (result) => printLine(result, terminal) }),
      }),
    );
    view.close();
    tell(describeSummary(summary), terminal);
    if (flags.json === true && flags.out !== undefined) await printResult(summary, terminal);
    if (summary.failed + summary.failedEarlier > 0) process.exitCode = EXIT.failed;
  } finally {
    view.close();
  }
}

/** Stops the running items gracefully at the first signal. A second signal exits the process. */
async function untilInterrupted<TResult>(work: (signal: AbortSignal) => Promise<TResult>): Promise<TResult> {
  const controller = new AbortController();
  const onSignal = (processSignal: NodeJS.Signals): void =>
    controller.abort(
      new InterruptedError(
        `${processSignal} stopped the batch. Finished results are kept. To continue, start the same command again.`,
        { processSignal },
      ),
    );
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) process.off(signal, onSignal);
  }
}

async function toBatchOptions(flags: BatchFlags, terminal: Terminal): Promise<BatchOptions> {
  const agent = chooseAgent(flags.agent);
  const output = await loadOutput(flags);
  const sandbox = await chooseSandbox(flags, (line) => tell(line, terminal));
  const { prompt, promptFile, out, retryFailed, concurrency, branchPrefix, readOnly, cwd, name } = flags;
  return {
    agent,
    agentId: flags.agent,
    sandbox,
    inputs: resolve(flags.inputs),
    ...(output !== undefined && { output }),
    ...(prompt !== undefined && { prompt }),
    ...(promptFile !== undefined && { promptFile: resolve(promptFile) }),
    ...(out !== undefined && { out: resolve(out) }),
    ...(retryFailed !== undefined && { retryFailed }),
    ...(concurrency !== undefined && { concurrency }),
    ...(branchPrefix !== undefined && { branchPrefix }),
    ...(readOnly !== undefined && { readOnly }),
    ...(cwd !== undefined && { cwd }),
    ...(name !== undefined && { name }),
    ...boundsOf(flags),
  };
}

function boundsOf({
  timeout,
  idleTimeout,
  ...budget
}: BatchFlags): Pick<BatchOptions, 'timeoutSeconds' | 'idleTimeoutSeconds' | 'budget'> {
  return {
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
    ...(idleTimeout !== undefined && { idleTimeoutSeconds: idleTimeout }),
    ...budgetOf(budget),
  };
}

function printLine(result: BatchResult, { stdout }: Terminal): Promise<void> {
  return new Promise((done, fail) => {
    stdout.write(`${toJsonText(result)}\n`, (error) => (error ? fail(error) : done()));
  });
}

/** Adds the command to the program. */
export function addBatchCommand(program: Command, { terminal, finish }: CommandContext): void {
  const command = program
    .command('batch')
    .description('Run one prompt on many inputs, resumable. Each result is one line of JSON.')
    .requiredOption('--inputs <file>', 'one JSON object per line; its keys replace {{KEY}} in the prompt')
    .requiredOption('--agent <agent>', 'as for `truecast run`')
    .option('--prompt <text>', 'a prompt template: {{KEY}} arguments')
    .option('--prompt-file <file>', 'a file that contains the template')
    .option('--schema <schema>', 'schema.json, ./schema.ts#name, or the JSON Schema itself')
    .option('--tag <name>', 'the answer is between <name> and </name>; without --schema, as text');
  addRetryFlags(command, { retries: 'retries after an invalid answer, per item' })
    .option(
      '--out <file>',
      'append results to this file, and skip inputs that it already contains (default: stdout)',
    )
    .option('--retry-failed', 'also run inputs again that failed earlier')
    .option('--concurrency <count>', 'number of concurrent runs (default: 4)', wholeNumber)
    .option('--sandbox <name>', 'as for `truecast run`')
    .option('--image-name <name>', 'as for `truecast run`')
    .option('--egress <policy>', 'as for `truecast run`')
    .option('--branch-prefix <prefix>', 'name the branches <prefix>/<id or line>-<6 hex digits>')
    .option(
      '--read-only',
      'items share worktrees, which saves one checkout per item; for agents that only read',
    )
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--name <name>', 'included in the branch and log file names')
    .option('--timeout <time>', 'timeout of each item, such as 90, 90s or 5m', secondsOf)
    .option(
      '--idle-timeout <time>',
      'stop an agent that prints nothing for this long (default: 10m)',
      secondsOf,
    )
    .option('--budget-tokens <count>', 'stop the batch when its runs have used more in total', positiveNumber)
    .option(
      '--budget-requests <count>',
      'stop the batch when its runs have sent more model requests in total, since this start',
      wholeNumber,
    )
    .option('--budget-usd <amount>', 'stop the batch when its runs have spent more in total', positiveNumber)
    .option('--json', 'with --out: print the summary as JSON')
    .option('--quiet', 'show only failures, and changes that run code on this machine later')
    .addHelpText('after', EXAMPLES)
    .action((flags: BatchFlags) => finish(() => batchCommand(flags, terminal), flags));
}

const EXAMPLES = `
Examples:
  $ truecast batch --inputs issues.jsonl --prompt "Is this a bug? {{TITLE}} Answer in <result>." --tag result --schema bug.json --agent claude-code --out bugs.jsonl
  $ truecast batch --inputs files.jsonl --prompt-file review.md --tag result --agent codex --concurrency 8 --branch-prefix review | jq .output

Exit codes: 0 all items have an answer, 1 an item failed, 2 invalid usage, 130 interrupted.`;
