/** Inputs of the Action: the `INPUT_*` variables of a step, converted to the flags of `truecast run`. */
import { Command, CommanderError } from 'commander';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { gotUnknown } from '@truecast/core/internal/options/known-options';
import { addRunFlags, type RunFlags } from '../flags/run-flags.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Inputs with the name and the value of a flag. */
export const VALUE_INPUTS: readonly string[] = [
  'schema',
  'tag',
  'mode',
  'max-corrections',
  'sandbox',
  'image-name',
  'egress',
  'budget-usd',
  'timeout',
  'branch',
  'cwd',
  'name',
];

/** Inputs that are `true` or `false`, with the name of a flag. */
export const SWITCH_INPUTS: readonly string[] = ['question', 'decline', 'read-only'];

/** Inputs of the step that runs an agent, besides those of flags. @internal */
export const OTHER_INPUTS: readonly string[] = [
  'agent',
  'model',
  'prompt',
  'prompt-file',
  'args',
  'on-invalid',
];

/** Inputs of the step `agent`. */
export interface ActionInputs {
  readonly flags: RunFlags;
  /** Pairs of `args`, each `KEY=VALUE`. */
  readonly args: readonly string[];
  readonly onInvalid: 'fail' | 'continue';
}

/**
 * Reads an input. A runner names `max-corrections` `INPUT_MAX-CORRECTIONS`. A composite Action maps it to
 * `INPUT_MAX_CORRECTIONS`, because shells accept no hyphen. An empty value is absent.
 */
export function inputOf(env: Environment, name: string): string | undefined {
  const upper = name.toUpperCase();
  const value = env[`INPUT_${upper}`] || env[`INPUT_${upper.replaceAll('-', '_')}`];
  return value === '' ? undefined : value;
}

/** Returns the lines of an input, without empty ones. */
export function inputLines(env: Environment, name: string): readonly string[] {
  return (inputOf(env, name) ?? '').split(/\r?\n/u).filter((line) => line.trim() !== '');
}

/**
 * Reads the inputs of the step that runs an agent.
 *
 * @throws UsageError for a value that the flag of the same name refuses
 */
export function readActionInputs(env: Environment): ActionInputs {
  const onInvalid = inputOf(env, 'on-invalid') ?? 'fail';
  if (onInvalid !== 'fail' && onInvalid !== 'continue') {
    throw new UsageError(
      `Expected the input \`on-invalid\` to be fail or continue, ${gotUnknown(onInvalid, ['fail', 'continue'])}`,
    );
  }
  return { flags: parseFlags(wordsOf(env)), args: inputLines(env, 'args'), onInvalid };
}

function wordsOf(env: Environment): readonly string[] {
  const agent = agentOf(env);
  // With `=`, a value that begins with a hyphen cannot be read as a flag.
  const word = (flag: string, value: string | undefined): readonly string[] =>
    value === undefined ? [] : [`--${flag}=${value}`];
  return [
    '--no-input',
    ...word('agent', agent),
    ...['prompt', 'prompt-file', ...VALUE_INPUTS].flatMap((name) => word(name, inputOf(env, name))),
    ...SWITCH_INPUTS.filter((name) => readSwitch(env, name)).map((name) => `--${name}`),
  ];
}

function agentOf(env: Environment): string | undefined {
  const [agent, model] = [inputOf(env, 'agent'), inputOf(env, 'model')];
  if (model === undefined) return agent;
  if (agent !== undefined && !agent.includes(':')) return `${agent}:${model}`;
  throw new UsageError(
    `The input \`model\` needs the name of an agent in \`agent\`, got \`${agent ?? 'nothing'}\`. Set \`agent: claude-code\`, or write \`agent: NAME:MODEL\` alone.`,
  );
}

function readSwitch(env: Environment, name: string): boolean {
  const value = inputOf(env, name) ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw new UsageError(`Expected the input \`${name}\` to be true or false, got \`${value}\`.`);
}

function parseFlags(words: readonly string[]): RunFlags {
  const command = addRunFlags(new Command('run'))
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  try {
    return command.parse(words, { from: 'user' }).opts<RunFlags>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageError(
      `${error.message.replace(/^error: /u, '')} The input has the same name as the flag.`,
    );
  }
}
