/** `truecast batch`: runs one prompt over the lines of a file. Each answer is one line of JSON. */
import { resolve } from 'node:path';
import type { BatchOptions } from 'truecast/internal/run/batch/batch-options';
import type { HandedResult } from 'truecast/internal/run/batch/batch-queue';
import { runBatch } from 'truecast/internal/run/batch/run-batch';
import {
  createBatchProgressView,
  describeSummary,
  type BatchProgressView,
} from './terminal/batch-progress.ts';
import { chooseAgent, chooseInstalledAgent } from './flags/choose-agent.ts';
import { addInstruction, parseArguments, readPrompt, type PromptFlags } from './flags/read-prompt.ts';
import { loadOutput } from './flags/load-output.ts';
import { withRetries, withDefaultTag, type OutputFlags } from './flags/output-flags.ts';
import { hasKeys, pathForInput } from './flags/item-values.ts';
import { chooseSandbox } from './flags/choose-sandbox.ts';
import {
  EXIT,
  printResult,
  tell,
  tellNote,
  tellToCopy,
  toJsonText,
  type CommandTerminal,
  type Terminal,
} from './terminal/print.ts';
import { budgetOf, type BudgetFlags, timeoutsOf, type LimitFlags } from './flags/flag-values.ts';
import { untilInterrupted } from './terminal/until-interrupted.ts';

export interface BatchFlags extends OutputFlags, BudgetFlags, LimitFlags, PromptFlags {
  readonly inputs: string;
  readonly agent?: string;
  readonly arg?: readonly string[];
  readonly attach?: readonly string[];
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
  readonly json?: boolean;
  readonly quiet?: boolean;
}

const EXAMPLE = 'truecast batch --inputs issues.jsonl "Is this a bug? {{TITLE}}"';

/** Runs the batch. Sets exit code 1 if any item failed, in this run or an earlier one. */
export async function batchCommand(
  word: string | undefined,
  flags: BatchFlags,
  terminal: CommandTerminal,
): Promise<void> {
  const prompt = await readPrompt(word, flags, terminal, EXAMPLE);
  const options = await toBatchOptions({ ...flags, ...prompt }, terminal);
  const view = createBatchProgressView(terminal, {
    isQuiet: flags.quiet === true,
    maxAttempts: (options.output?.maxCorrections ?? 0) + 1,
  });
  try {
    const summary = await untilInterrupted('batch', (signal) =>
      runBatch({
        ...options,
        signal,
        onProgress: view.update,
        onEvent: view.see,
        ...(flags.out === undefined && { onResult: (result) => printLine(result, terminal, view) }),
      }),
    );
    view.close();
    tell(
      describeSummary(summary, { canRetry: true }),
      terminal,
      summary.failed + summary.failedEarlier > 0 ? 'bad' : 'good',
    );
    if (flags.out !== undefined) tellToCopy('Results', resolve(flags.out), terminal, 'aside');
    if (flags.json === true && flags.out !== undefined) await printResult(summary, terminal);
    if (summary.failed + summary.failedEarlier > 0) process.exitCode = EXIT.failed;
  } finally {
    view.close();
  }
}

async function toBatchOptions(flags: BatchFlags, terminal: Terminal): Promise<BatchOptions> {
  const note = (line: string): void => tellNote(line, terminal);
  const agentId = flags.agent ?? (await chooseInstalledAgent(note));
  const agent = chooseAgent(agentId);
  const output = await loadOutput(withRetries(withDefaultTag(flags), agent));
  const { promptArgs: added, ...prompt } = await addInstruction(flags, output, { isTemplate: true });
  const promptArgs = { ...parseArguments(flags.arg ?? []), ...added };
  const sandbox = await chooseSandbox(flags, note);
  const { out, retryFailed, concurrency, branchPrefix, readOnly, name } = flags;
  return {
    agent,
    agentId,
    sandbox,
    inputs: resolve(flags.inputs),
    ...(output !== undefined && { output }),
    ...prompt,
    ...(Object.keys(promptArgs).length > 0 && { promptArgs }),
    ...(out !== undefined && { out: resolve(out) }),
    ...(retryFailed !== undefined && { retryFailed }),
    ...(concurrency !== undefined && { concurrency }),
    ...(branchPrefix !== undefined && { branchPrefix }),
    ...(readOnly !== undefined && { readOnly }),
    ...placesOf(flags),
    ...(name !== undefined && { name }),
    ...boundsOf(flags),
  };
}

/** Paths with a `{{KEY}}` differ between the items. */
function placesOf({ cwd, attach }: BatchFlags): Pick<BatchOptions, 'cwd' | 'attachments'> {
  return {
    ...(cwd !== undefined && { cwd: hasKeys(cwd) ? (input) => pathForInput('--cwd', cwd, input) : cwd }),
    ...(attach !== undefined && {
      attachments: attach.some(hasKeys)
        ? (input) => attach.map((path) => pathForInput('--attach', path, input))
        : attach,
    }),
  };
}

function boundsOf(flags: BatchFlags): Partial<BatchOptions> {
  return {
    timeouts: timeoutsOf(flags),
    ...(flags.onLimit !== undefined && { policies: { onLimit: flags.onLimit } }),
    ...budgetOf(flags),
  };
}

/** Prints a line as the results file has it. */
function printLine(
  { input: _input, ...result }: HandedResult,
  { stdout }: Terminal,
  { around }: BatchProgressView,
): Promise<void> {
  return new Promise((done, fail) => {
    around(() => stdout.write(`${toJsonText(result)}\n`, (error) => (error ? fail(error) : done())));
  });
}
