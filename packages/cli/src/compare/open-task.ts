/**
 * Inputs and contestants of a comparison, from its flags. Everything is checked before the first
 * trial.
 */
import { resolve } from 'node:path';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import { BUILT_IN_PROMPT_ARGS, keysOf, parseTemplate } from 'truecast/internal/run/prompt/prompt-template';
import { readTemplate } from 'truecast/internal/run/prompt/prepare-prompt';
import type { BatchItem } from 'truecast/internal/run/batch/batch-queue';
import { hash, readBatchInputs } from 'truecast/internal/run/batch/read-batch-inputs';
import { chooseSandbox } from '../flags/choose-sandbox.ts';
import { findModel, knownModels } from '../flags/model-endpoints.ts';
import { readPrompt } from '../flags/read-prompt.ts';
import { loadOutput } from '../flags/load-output.ts';
import { tellNote, type CommandTerminal } from '../terminal/print.ts';
import { agentContestant } from './agent-contestant.ts';
import type { CompareFlags } from './compare-flags.ts';
import type { ComparedTask, Contestant } from './contestant.ts';
import { modelContestant } from './model-contestant.ts';
import { EXPECTED } from './right-answer.ts';

/** A comparison, ready to run. */
export interface OpenedTask {
  readonly items: readonly BatchItem[];
  readonly contestants: readonly Contestant[];
}

const EXAMPLE =
  'truecast compare --inputs issues.jsonl --schema bug.json --agent codex "Is this a bug? {{TITLE}}"';

/** Reads the prompt, the inputs and the contestants. @throws UsageError; ManifestError */
export async function openTask(
  word: string | undefined,
  flags: CompareFlags,
  terminal: CommandTerminal,
): Promise<OpenedTask> {
  const { prompt, promptFile } = await readPrompt(word, flags, terminal, EXAMPLE);
  const template = prompt ?? (await readTemplate(promptFile ?? ''));
  const { schema, tag, maxCorrections, timeout } = flags;
  if (schema === undefined && tag === undefined) {
    throw new UsageError(
      'Expected the schema of the answer, got none. Pass `--schema`, or `--tag` for text.',
    );
  }
  const task: ComparedTask = {
    template,
    ...(schema !== undefined && { schema }),
    ...(tag !== undefined && { tag }),
    ...(maxCorrections !== undefined && { maxCorrections }),
    ...(timeout !== undefined && { timeout }),
  };
  return { items: await readItems(task, flags), contestants: await chooseContestants(task, flags, terminal) };
}

async function readItems({ template, ...answer }: ComparedTask, flags: CompareFlags): Promise<BatchItem[]> {
  const keys = keysOf(parseTemplate(template));
  if (keys.includes(EXPECTED)) {
    throw new UsageError(`The prompt contains \`{{${EXPECTED}}}\`, the right answer of an input. Remove it.`);
  }
  const builtIns: readonly string[] = BUILT_IN_PROMPT_ARGS;
  const output = await loadOutput(answer);
  const identity = {
    promptKeys: keys.filter((key) => !builtIns.includes(key)),
    fingerprint: hash(
      JSON.stringify([template, answer.tag, answer.schema, output && (await schemaHashOf(output))]),
    ),
  };
  const items: BatchItem[] = [];
  for await (const item of readBatchInputs(resolve(flags.inputs), identity)) items.push(item);
  if (items.length > 0) return items;
  throw new UsageError(`Expected \`${flags.inputs}\` to contain an input per line, got none. Add one.`);
}

async function chooseContestants(
  task: ComparedTask,
  flags: CompareFlags,
  terminal: CommandTerminal,
): Promise<readonly Contestant[]> {
  const { agent: agents = [], model: models = [], mode: modes = [undefined], lenient, cwd } = flags;
  const known = flags.models === undefined ? knownModels(undefined) : await knownIn(flags.models);
  const contestants: Contestant[] = [];
  if (agents.length > 0) {
    const sandbox = await chooseSandbox(flags, (line) => tellNote(line, terminal));
    const place = { sandbox, ...(cwd !== undefined && { cwd }) };
    for (const mode of modes) {
      for (const name of agents) contestants.push(await agentContestant(name, mode, task, place));
    }
  }
  const called = { ...task, ...(lenient !== undefined && { lenient }) };
  for (const mode of modes) {
    for (const name of models) contestants.push(await modelContestant(findModel(name, known), mode, called));
  }
  const names = contestants.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new UsageError(
      `Two contestants are named \`${twice}\`. Give models different names in a \`models.yaml\`, and pass it as \`--models\`.`,
    );
  }
  if (contestants.length > 0) return contestants;
  throw new UsageError('Expected contestants, got none. Pass `--agent`, `--model` or both, repeatedly.');
}

/** The parser belongs to `@truecast/ensemble`, which is loaded only for a file. */
async function knownIn(path: string): Promise<ReturnType<typeof knownModels>> {
  return await (await import('./load-models.ts')).loadModels(path);
}
