/** Owns `truecast batch`: one prompt over the lines of a file, each answer a line of JSON. */
import { resolve } from 'node:path';
import { Option, type Command } from 'commander';
import { InterruptedError } from '../errors/interrupted-error.ts';
import type { BatchOptions } from '../run/batch/batch-options.ts';
import type { BatchResult } from '../run/batch/batch-queue.ts';
import { runBatch } from '../run/batch/run-batch.ts';
import { createBatchProgressView, describeSummary } from './batch-progress.ts';
import { chooseAgent } from './choose-agent.ts';
import { chooseSandbox } from './choose-sandbox.ts';
import { EXIT } from './exit-codes.ts';
import { positiveNumber, wholeNumber, type CommandContext } from './flag-values.ts';
import { loadOutput, type OutputFlags } from './load-output.ts';
import { printResult, tell, type Terminal } from './print.ts';

/** The flags of `truecast batch`. */
export interface BatchFlags extends OutputFlags {
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
  readonly budgetTokens?: number;
  readonly budgetUsd?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** Runs the batch, and sets the exit code 1 where any item failed, now or earlier. */
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

/** Ends what runs in good order; a second signal ends the process. */
async function untilInterrupted<TResult>(work: (signal: AbortSignal) => Promise<TResult>): Promise<TResult> {
  const controller = new AbortController();
  const onSignal = (processSignal: NodeJS.Signals): void =>
    controller.abort(
      new InterruptedError(
        `The process received ${processSignal}; what ran was ended, and what was done is kept. Start it again to go on.`,
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
  budgetTokens,
  budgetUsd,
}: BatchFlags): Pick<BatchOptions, 'timeoutSeconds' | 'idleTimeoutSeconds' | 'budget'> {
  const hasBudget = budgetTokens !== undefined || budgetUsd !== undefined;
  return {
    ...(timeout !== undefined && { timeoutSeconds: timeout }),
    ...(idleTimeout !== undefined && { idleTimeoutSeconds: idleTimeout }),
    ...(hasBudget && {
      budget: {
        ...(budgetTokens !== undefined && { tokens: budgetTokens }),
        ...(budgetUsd !== undefined && { usd: budgetUsd }),
      },
    }),
  };
}

function printLine(result: BatchResult, { stdout }: Terminal): Promise<void> {
  return new Promise((done, fail) => {
    stdout.write(`${JSON.stringify(result)}\n`, (error) => (error ? fail(error) : done()));
  });
}

/** Adds the command to the program. */
export function addBatchCommand(program: Command, { terminal, finish }: CommandContext): void {
  program
    .command('batch')
    .description('Run one prompt over many inputs, resumably; each answer is a line of JSON.')
    .requiredOption('--inputs <file>', 'one JSON object a line; its keys are the {{KEY}}s of the prompt')
    .requiredOption('--agent <agent>', 'as for `truecast run`')
    .option('--prompt <text>', 'the prompt, as a template')
    .option('--prompt-file <file>', 'a file with the template')
    .option('--schema <schema>', 'schema.json, or ./schema.ts#name')
    .option('--tag <name>', 'the answer stands between <name> and </name>; without --schema, as text')
    .addOption(new Option('--via <route>', 'how the answer travels without a tag').choices(['native', 'mcp']))
    .option('--max-retries <count>', 'attempts after the first, for each item', wholeNumber)
    .option('--out <file>', 'append results here; what it holds is not done again (default: stdout)')
    .option('--retry-failed', 'do again what failed before')
    .option('--concurrency <count>', 'runs at once (default: 4)', wholeNumber)
    .option('--sandbox <name>', 'as for `truecast run`')
    .option('--image-name <name>', 'as for `truecast run`')
    .addOption(
      new Option('--egress <policy>', 'what the sandbox may connect to').choices(['none', 'host', 'model']),
    )
    .option('--branch-prefix <prefix>', 'name the branches <prefix>/<id or line>-<6 hex>')
    .option('--read-only', 'the agents only read: items share worktrees, which saves a checkout for each')
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--name <name>', "stands in the branches' and the logs' names")
    .option('--timeout <seconds>', 'bound on each item', positiveNumber)
    .option(
      '--idle-timeout <seconds>',
      'silence after which an agent counts as hung (default: 600)',
      positiveNumber,
    )
    .option('--budget-tokens <count>', 'end the batch when all its runs used more', positiveNumber)
    .option('--budget-usd <amount>', 'end the batch when all its runs spent more', positiveNumber)
    .option('--json', 'with --out: print the summary as JSON')
    .option('--quiet', 'tell failures only')
    .addHelpText('after', EXAMPLES)
    .action((flags: BatchFlags) => finish(() => batchCommand(flags, terminal), flags));
}

const EXAMPLES = `
Examples:
  $ truecast batch --inputs issues.jsonl --prompt "Is this a bug? {{TITLE}} Answer in <result>." --tag result --schema bug.json --agent claude-code --out bugs.jsonl
  $ truecast batch --inputs files.jsonl --prompt-file review.md --tag result --agent codex --concurrency 8 --branch-prefix review | jq .output

Exit codes: 0 every item has its answer, 1 any failed, 2 wrong use, 130 interrupted: start it again to go on.`;
