/** Id of a run that can be repeated: its check, and what two executions with one id must share. */
import { createHash } from 'node:crypto';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import type { BranchStrategy } from '../../git/command/branch-strategy.ts';
import type { NormalizedRunOptions } from '../options/normalize-run-options.ts';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import type { PreparedPrompt } from '../prompt/prepare-prompt.ts';

const MAX_ID_CHARS = 200;

/** Control, format and line characters would forge lines of logs and messages. */
const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u;

/**
 * Checks `id` and the options that need it.
 *
 * @throws UsageError
 */
export function assertRepeatable(options: unknown, isTemporary: boolean): void {
  // From JavaScript, the options can be missing. They are refused with the others.
  const { id, onCheckpoint, branchStrategy } = isRecord(options) ? options : {};
  if (onCheckpoint !== undefined && typeof onCheckpoint !== 'function') {
    throw new UsageError(
      `Expected \`onCheckpoint\` to be a function, got ${describeValue(onCheckpoint)}. Pass a function, or leave it out.`,
    );
  }
  if (id === undefined) {
    if (onCheckpoint === undefined) return;
    throw new UsageError(
      '`onCheckpoint` reports what a run with an `id` has stored, and `id` is absent. Pass an `id`.',
    );
  }
  if (typeof id !== 'string' || id.trim() === '' || id.length > MAX_ID_CHARS || HOSTILE.test(id)) {
    throw new UsageError(
      `Expected \`id\` to be a string of 1 to ${MAX_ID_CHARS} characters without control characters, got ${describeValue(id)}. Pass the id of the job or the workflow.`,
    );
  }
  if (!isTemporary) {
    throw new UsageError(
      'Expected no `id` for a run in a place that outlives it, because another process cannot find that place. Pass the `id` to `run()`, or remove it.',
    );
  }
  if (!isRecord(branchStrategy) || branchStrategy['type'] !== 'head') return;
  throw new UsageError(
    "Expected a branch of its own for a run with an `id`, got the branch strategy `head`. Use `{ type: 'merge-to-head' }`, or leave `branchStrategy` out.",
  );
}

/** Facts that a later execution must share, by the option's name. Hashes of long and secret values. */
export type AskedFacts = Readonly<Record<string, string>>;

/** Returns the facts of a call. */
export async function askedFacts(
  options: NormalizedRunOptions,
  prompt: Pick<PreparedPrompt, 'text'>,
): Promise<AskedFacts> {
  const { agent, output, mode, sandbox, publish, isThrownAway } = options;
  const schema = output && ((await schemaHashOf(output)) ?? '');
  const facts: Readonly<Record<string, unknown>> = {
    agent: [agent.name, agent.model],
    prompt: prompt.text,
    output: output && [output._tag, output.tag, mode, schema],
    sandbox: sandbox.name,
    branchStrategy: isThrownAway ? undefined : strategyFacts(options),
    publish,
    readOnly: isThrownAway,
  };
  return Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, hashOf(value)]));
}

/** The name of a branch that the run chose is another one in each call. */
function strategyFacts({ branchStrategy, hasDefaultBranch }: NormalizedRunOptions): unknown {
  if (hasDefaultBranch) return 'default';
  const { type } = branchStrategy;
  return [type, branchNameIn(branchStrategy), type === 'branch' && branchStrategy.baseBranch];
}

function branchNameIn(strategy: BranchStrategy): unknown {
  return strategy.type === 'head' ? undefined : strategy.branch;
}

function hashOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('hex')
    .slice(0, 32);
}

/**
 * Refuses a call whose options differ from those of the first execution.
 *
 * @throws UsageError `not-repeatable` with the names of the options
 */
export function assertSameCall(
  id: string,
  { now, first }: { readonly now: AskedFacts; readonly first: AskedFacts },
): void {
  const names = new Set([...Object.keys(first), ...Object.keys(now)]);
  const differing = [...names].filter((name) => first[name] !== now[name]).map((name) => `\`${name}\``);
  if (differing.length === 0) return;
  throw new UsageError(
    `Expected the options of the run \`${id}\` to be those of its first execution, got another value of ${differing.join(', ')}. Pass the same options, or another \`id\`.`,
    { code: 'not-repeatable' },
  );
}
