/** Request of an agent run from the options of the client, and the way back from its value. Pure. */
import { assertDefinition } from '@truecast/core/internal/output/definition/assert-definition';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { assertKnownOptions, type OptionNames } from '@truecast/core/internal/options/known-options';
import { toAnswerFormat } from '../answer/answer-format.ts';
import type { CreateAgentRunBody } from '../wire/runs/agent-run.ts';
import type { ContinueAgentRunBody } from '../wire/runs/agent-run-changes.ts';
import type { ContinueRunOptions, CreateRunOptions, PatchRunOptions } from './client-run.ts';

/** Definition of a run's answer, and the way from the sent value to its value. */
export interface RunForm {
  readonly output: AnyOutputDefinition;
  readonly inverse: (value: unknown) => unknown;
}

const CREATE_OPTIONS: OptionNames<CreateRunOptions> = {
  repository: true,
  ref: true,
  agent: true,
  model: true,
  prompt: true,
  output: true,
  branch: true,
  push: true,
  readOnly: true,
  limits: true,
  onWorkerLoss: true,
  metadata: true,
  priority: true,
  webhook: true,
  startAfter: true,
  expiresAfterSeconds: true,
};

/** Words that readers of other libraries try. */
const MOVED = { schema: 'output: Output.object({ schema })', cwd: 'repository' };

/** Returns the body. @throws UsageError for unknown options, and a definition that a run cannot answer */
export function toCreateBody(options: CreateRunOptions): CreateAgentRunBody {
  assertKnownOptions(options, { of: '`runs.create()`', names: CREATE_OPTIONS, moved: MOVED });
  const { output, readOnly, startAfter, onWorkerLoss, expiresAfterSeconds, ...same } = options;
  return {
    ...same,
    ...answerMembers(output),
    ...(readOnly !== undefined && { read_only: readOnly }),
    ...(onWorkerLoss !== undefined && { on_worker_loss: onWorkerLoss }),
    ...(startAfter !== undefined && { start_after: timeOf(startAfter) }),
    ...(expiresAfterSeconds !== undefined && { expires_after_seconds: expiresAfterSeconds }),
  };
}

const CONTINUE_OPTIONS: OptionNames<ContinueRunOptions> = { message: true, output: true, fork: true };

/** Returns the body of a follow-up. @throws UsageError for unknown options, and a definition that a run cannot answer */
export function toContinueBody(options: ContinueRunOptions): ContinueAgentRunBody {
  assertKnownOptions(options, { of: '`continue()`', names: CONTINUE_OPTIONS, moved: { prompt: 'message' } });
  const { output, ...same } = options;
  if (output === undefined) return same;
  // Without a format, the form of the run would be kept.
  return { ...same, response_format: { type: 'text' }, ...answerMembers(output) };
}

const PATCH_OPTIONS: OptionNames<PatchRunOptions> = { priority: true, metadata: true };

/** @throws UsageError for unknown options */
export function assertPatch(changes: PatchRunOptions): void {
  assertKnownOptions(changes, { of: '`patch()`', names: PATCH_OPTIONS });
}

function timeOf(date: Date): string {
  if (date instanceof Date && !Number.isNaN(date.getTime())) return date.toISOString();
  throw new UsageError(`Expected \`startAfter\` to be a valid \`Date\`, got ${describeValue(date)}.`);
}

type AnswerMembers = Pick<
  CreateAgentRunBody,
  'response_format' | 'is_wrapped' | 'tag' | 'mode' | 'max_corrections'
>;

function answerMembers(output: AnyOutputDefinition | undefined): AnswerMembers {
  if (output === undefined) return {};
  assertDefinition(output, 'output');
  const { tag, mode, maxCorrections } = output;
  return {
    ...(output._tag !== 'string' && formatMembers(output)),
    ...(tag !== undefined && { tag }),
    ...(mode !== undefined && { mode: modeOf(mode) }),
    ...(maxCorrections !== undefined && { max_corrections: maxCorrections }),
  };
}

function formatMembers(output: AnyOutputDefinition): Pick<AnswerMembers, 'response_format' | 'is_wrapped'> {
  const { format, isWrapped } = toAnswerFormat({ output });
  return { response_format: format, ...(isWrapped && { is_wrapped: true }) };
}

function modeOf(mode: NonNullable<AnyOutputDefinition['mode']>): 'native' | 'mcp' {
  if (mode === 'native' || mode === 'mcp') return mode;
  throw new UsageError(
    `Expected \`mode\` of an agent's answer to be \`native\` or \`mcp\`, got \`${mode}\`. Remove it, or set \`tag\`.`,
  );
}

/** Returns the form of a definition. Undefined for text. */
export function toRunForm(output: AnyOutputDefinition | undefined): RunForm | undefined {
  if (output === undefined) return undefined;
  assertDefinition(output, 'output');
  if (output._tag === 'string') return undefined;
  return { output, inverse: toAnswerFormat({ output }).inverse };
}
