/** `truecast runs batch`: one prompt over the lines of a file, as agent runs of a server. */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import {
  cancelClientBatch,
  openClientBatch,
  type ClientBatch,
} from '@truecast/client/internal/runs/client-batch';
import { toConnection } from '@truecast/client/internal/create-client';
import { LimitError } from '@truecast/core/internal/errors/limit-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import { canonicalJson } from '@truecast/core/internal/schema/canonical-json';
import { createBatchAccount } from 'truecast/internal/run/batch/batch-account';
import type { BatchItem } from 'truecast/internal/run/batch/batch-queue';
import { inputText } from 'truecast/internal/run/batch/batch-template';
import { readBatchInputs } from 'truecast/internal/run/batch/read-batch-inputs';
import { lockResults, openResultsFile, type ResultsFile } from 'truecast/internal/run/batch/results-file';
import { keysOf, parseTemplate, type TemplatePart } from 'truecast/internal/run/prompt/prompt-template';
import { createBatchProgressView, describeSummary } from '../terminal/batch-progress.ts';
import { budgetOf } from '../flags/flag-values.ts';
import { loadOutput } from '../flags/load-output.ts';
import { explained, selectServer } from '../serve/connect-server.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { untilInterrupted } from '../terminal/until-interrupted.ts';
import {
  EXIT,
  printResult,
  tell,
  tellToCopy,
  toJsonText,
  type CommandTerminal,
  type Terminal,
} from '../terminal/print.ts';
import { toLine } from './batch-line.ts';
import { tellRetry } from './tell-retry.ts';
import type { ShowFlags } from './show-commands.ts';
import { promptOf, toOptions, type CreateRunFlags } from './create-command.ts';

export interface RunsBatchFlags extends CreateRunFlags {
  readonly inputs: string;
  readonly out?: string;
  readonly name?: string;
}

const EXAMPLE =
  'truecast runs batch --inputs issues.jsonl --repository NAME --agent NAME "Is this a bug? {{TITLE}}"';
const NAME_CHARS = 16;
const CONTINUES = (id: string): string =>
  `The runs of the batch continue. To cancel them: ${OWN_COMMAND} runs cancel-batch ${id}`;

export async function cancelBatchCommand(id: string, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const batch = await explained(cancelClientBatch(toConnection(await selectServer(flags)), id));
  if (flags.json === true) await printResult(batch, terminal);
  else tell(`Canceled: ${batch.canceled} runs. Running agents are being stopped.`, terminal);
}

/** Adds the missing items, waits for all results, and writes those that the file lacks. */
export async function runsBatchCommand(
  word: string | undefined,
  flags: RunsBatchFlags,
  terminal: CommandTerminal,
): Promise<void> {
  const template = parseTemplate(await promptOf(word, flags, terminal, EXAMPLE));
  const output = await loadOutput(flags);
  const connection = toConnection(await selectServer(flags));
  // Not a part of the request: the batch with a higher budget is the same batch.
  const { budgetTokens, budgetUsd, ...ofItem } = flags;
  const request = toOptions(ofItem);
  const bounds = budgetOf({
    ...(budgetTokens !== undefined && { budgetTokens }),
    ...(budgetUsd !== undefined && { budgetUsd }),
  });
  const fingerprint = await fingerprintOf(template, request, output);
  const items = await readItems(flags.inputs, template, fingerprint);
  const name = flags.name ?? `batch-${fingerprint.slice(0, NAME_CHARS)}`;
  const lock = flags.out === undefined ? undefined : await lockResults(flags.out);
  const results = flags.out === undefined ? undefined : await openResultsFile(resolve(flags.out));
  try {
    const failed = await untilInterrupted('batch', async (signal) => {
      const batch = await explained(
        openClientBatch(
          connection,
          { ...request, ...(output !== undefined && { output }), ...bounds, name },
          { signal, onRetry: tellRetry(terminal) },
        ),
      );
      tell(`batch ${batch.id} (${name}), ${items.size} items`, terminal, 'aside');
      signal.addEventListener('abort', () => tell(CONTINUES(batch.id), terminal));
      return await followBatch({ batch, items, template, output, results, flags, terminal, signal });
    });
    if (failed > 0) process.exitCode = EXIT.failed;
  } finally {
    await results?.close();
    await lock?.release();
  }
}

interface Following {
  readonly batch: ClientBatch;
  readonly items: ReadonlyMap<string, BatchItem>;
  readonly template: readonly TemplatePart[];
  readonly output: AnyOutputDefinition | undefined;
  readonly results: ResultsFile | undefined;
  readonly flags: RunsBatchFlags;
  readonly terminal: CommandTerminal;
  readonly signal: AbortSignal;
}

/** Returns the number of failed items. The upload goes on while the first results arrive. */
async function followBatch({
  batch,
  items,
  template,
  output,
  results,
  flags,
  terminal,
  signal,
}: Following): Promise<number> {
  const account = createBatchAccount({
    total: items.size,
    usage: results?.usage,
    budget: undefined,
    prices: undefined,
  });
  const view = createBatchProgressView(terminal, { isQuiet: flags.quiet === true, maxAttempts: 1 });
  const stop = new AbortController();
  const aborts = AbortSignal.any([signal, stop.signal]);
  const upload = async (): Promise<void> => {
    const bodies = [...items].map(([key, item]) => ({ key, prompt: fill(template, item) }));
    await batch.add(bodies, aborts);
    await batch.close(aborts);
  };
  const uploading = upload();
  // The results would never end without the close.
  uploading.catch((error: unknown) => stop.abort(error));
  try {
    for await (const ended of batch.results(aborts)) {
      const item = items.get(ended.key);
      // Another file had the item.
      if (item === undefined) continue;
      const known = results?.recorded.get(ended.key);
      if (known !== undefined) account.skip(known);
      else {
        const result = toLine(item, ended, output);
        await results?.append(result);
        if (results === undefined) view.around(() => terminal.stdout.write(`${toJsonText(result)}\n`));
        account.end(result);
        view.update(account.progress(result));
      }
    }
    await uploading;
  } catch (error) {
    // The items that wait are stored for the next start.
    if (LimitError.isInstance(error)) await uploading;
    throw error;
  } finally {
    view.close();
  }
  const summary = account.summary();
  tell(
    describeSummary(summary, { canRetry: false }),
    terminal,
    summary.failed + summary.failedEarlier > 0 ? 'bad' : 'good',
  );
  if (flags.out !== undefined) tellToCopy('Results', resolve(flags.out), terminal, 'aside');
  if (flags.json === true && flags.out !== undefined) await printResult(summary, terminal);
  return summary.failed + summary.failedEarlier;
}

/** Identity of all items: the same command has the same one on each machine. */
async function fingerprintOf(
  template: readonly TemplatePart[],
  options: object,
  output: AnyOutputDefinition | undefined,
): Promise<string> {
  const { tag = null, mode = null } = output ?? {};
  const asked = output && { kind: output._tag, tag, mode, schema: (await schemaHashOf(output)) ?? null };
  const request = { ...options, output: asked ?? null };
  const text = JSON.stringify(template);
  return createHash('sha256').update(canonicalJson({ text, request })).digest('hex');
}

/** Reads all items, so that an invalid line is reported before the first run. */
async function readItems(
  inputs: string,
  template: readonly TemplatePart[],
  fingerprint: string,
): Promise<ReadonlyMap<string, BatchItem>> {
  if (template.some(({ type }) => type === 'expression')) {
    throw new UsageError('The prompt of a run on a server executes no commands. Remove its !`…`.');
  }
  const items = new Map<string, BatchItem>();
  for await (const item of readBatchInputs(resolve(inputs), { promptKeys: keysOf(template), fingerprint })) {
    items.set(item.key, item);
  }
  return items;
}

function fill(template: readonly TemplatePart[], { input }: BatchItem): string {
  return template
    .map((part) =>
      part.type === 'argument' ? inputText(input[part.key]) : part.type === 'text' ? part.text : '',
    )
    .join('');
}
