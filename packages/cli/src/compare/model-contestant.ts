/** Models as contestants: each task is one validated model call. */
import { generate, openAICompatible, type GenerateMode } from '@truecast/model';
import { EvidenceError } from '@truecast/core/internal/errors/base/run-evidence';
import { SchemaError } from '@truecast/core/internal/errors/schema-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { instructionsFor } from '@truecast/core/internal/output/definition/instructions';
import type { BatchItem, BatchResult } from 'truecast/internal/run/batch/batch-queue';
import { describeError, itemIdentity, itemTimes } from 'truecast/internal/run/batch/batch-result';
import { parseTemplate } from 'truecast/internal/run/prompt/prompt-template';
import { loadOutput } from '../flags/load-output.ts';
import { withDefaultTag, DEFAULT_RETRIES } from '../flags/output-flags.ts';
import type { NamedModel } from '../flags/model-endpoints.ts';
import type { ComparedTask, CompareTask, Contestant } from './contestant.ts';

const MODES = ['auto', 'native', 'tool', 'json', 'tag'] as const satisfies readonly ('auto' | GenerateMode)[];

type Call = Omit<Parameters<typeof generate>[0], 'messages' | 'prompt' | 'signal'> & {
  readonly output: AnyOutputDefinition;
};

export async function modelContestant(
  { name: model, endpoint }: NamedModel,
  asked: string | undefined,
  task: ComparedTask & { readonly lenient?: boolean },
): Promise<Contestant> {
  const mode = MODES.find((known) => known === (asked ?? 'auto'));
  if (mode === undefined) {
    throw new UsageError(`Expected \`--mode\` of a model to be ${MODES.join(', ')}, got \`${asked}\`.`);
  }
  const { template, lenient, timeout, maxCorrections = DEFAULT_RETRIES, schema, tag } = task;
  const isTagged = mode === 'tag' || schema === undefined;
  const flags = { ...(schema !== undefined && { schema }), ...(tag !== undefined && isTagged && { tag }) };
  const output = await loadOutput(isTagged ? withDefaultTag(flags) : flags);
  if (output === undefined) throw new UsageError('Expected the schema of the answer. Pass `--schema`.');
  const { apiKey, settings, body, prices, endpoint: baseURL } = endpoint;
  const name = asked === undefined ? model : `${model} by ${asked}`;
  const call: Call = {
    ...settings,
    model: openAICompatible({
      baseURL,
      model: endpoint.model,
      ...(apiKey !== undefined && { apiKey }),
      ...(body !== undefined && { body }),
    }),
    output,
    maxCorrections,
    mode: schema === undefined ? 'tag' : mode,
    ...(lenient === true && { lenient }),
    ...(prices !== undefined && { prices }),
    ...(timeout !== undefined && { timeouts: { requestMs: timeout * 1_000 } }),
  };
  return {
    name,
    identity: JSON.stringify([
      name,
      baseURL,
      endpoint.model,
      settings,
      body,
      lenient,
      maxCorrections,
      timeout,
    ]),
    attempt: (task) => ask(call, textOf(template, task.item, isTagged ? output : undefined), task),
  };
}

async function ask(call: Call, prompt: string, { item, repeat, signal }: CompareTask): Promise<BatchResult> {
  const startedAt = new Date();
  const startedMs = performance.now();
  const base = (): Pick<
    BatchResult,
    'key' | 'line' | 'inputHash' | 'commits' | 'startedAt' | 'durationMs'
  > => ({
    ...itemIdentity(item),
    commits: [],
    ...itemTimes({ startedAt, durationMs: performance.now() - startedMs }),
  });
  try {
    const { output, provenance, usage } = await generate({ seed: repeat, ...call, prompt, signal });
    return { ...base(), status: 'ok', output, provenance, ...(usage !== undefined && { usage }) };
  } catch (error) {
    signal.throwIfAborted();
    // Every task would fail the same way.
    if (UsageError.isInstance(error) || SchemaError.isInstance(error)) throw error;
    const usage = EvidenceError.isInstance(error) ? error.usage : undefined;
    return {
      ...base(),
      status: 'failed',
      error: describeError(error),
      ...(usage !== undefined && { usage }),
    };
  }
}

/** Fills in the template. In the tag mode the instruction is part of the prompt. */
function textOf(template: string, { input }: BatchItem, tagged: AnyOutputDefinition | undefined): string {
  const parts = parseTemplate(template).map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'argument') return asText(input[part.key]);
    throw new UsageError(
      `A model cannot run \`${part.source}\` of the prompt. Remove the expression, or compare agents only.`,
    );
  });
  const text = parts.join('');
  const isNamed = tagged?.tag === undefined || text.includes(`<${tagged.tag}>`);
  return isNamed ? text : `${text}\n\n${instructionsFor(tagged)}`;
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
