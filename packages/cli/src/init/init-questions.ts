/**
 * Questions of `truecast init`. Each question is also a flag. A missing answer has a default, or an
 * error names its flag.
 */
import { cancel, confirm, isCancel, select, text } from '@clack/prompts';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { InterruptedError } from '@truecast/core/internal/errors/interrupted-error';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { INIT_AGENTS } from 'truecast/internal/agents/registry/agents';
import type { InitAgentName } from 'truecast/internal/agents/registry/agent-names';
import { SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';
import { PACKAGE_MANAGERS, TEMPLATES, type InitAnswers } from './init-choices.ts';

export interface InitFlags {
  readonly agent?: string;
  readonly model?: string;
  readonly sandbox?: string;
  readonly template?: string;
  readonly packageManager?: string;
  readonly install?: boolean;
  readonly yes?: boolean;
}

/** Flags with known values. */
export type CheckedFlags = { readonly [Name in keyof InitAnswers]: InitAnswers[Name] | undefined };

/** Known facts for the defaults. */
export interface InitDefaults {
  /** Agents whose program is on the PATH. */
  readonly installed: readonly InitAgentName[];
  readonly sandbox: InitAnswers['sandbox'] | undefined;
  readonly packageManager: InitAnswers['packageManager'];
}

export interface AskingTerminal {
  readonly stdin: NodeJS.ReadStream;
  readonly stderr: NodeJS.WriteStream;
}

/**
 * Checks the values of flags.
 *
 * @throws UsageError for an unknown value, with the known ones
 */
export function checkFlags(flags: InitFlags): CheckedFlags {
  return {
    agent: choiceOf('--agent', flags.agent, INIT_AGENTS),
    sandbox: choiceOf('--sandbox', flags.sandbox, SANDBOXES),
    template: choiceOf('--template', flags.template, TEMPLATES),
    packageManager: choiceOf('--package-manager', flags.packageManager, PACKAGE_MANAGERS),
    model: flags.model,
    install: flags.install,
  };
}

/**
 * Completes the answers: from flags, then by prompting on a terminal, or from defaults with
 * `--yes`.
 *
 * @throws UsageError for an unknown value, and without a terminal for missing answers, naming the
 *   flags; InterruptedError if the user cancels
 */
export async function askForAnswers(
  flags: InitFlags,
  defaults: InitDefaults,
  terminal: AskingTerminal,
): Promise<InitAnswers> {
  const given = checkFlags(flags);
  if (flags.yes !== true && terminal.stdin.isTTY && terminal.stderr.isTTY) {
    return ask(given, defaults, terminal);
  }
  const fallback: Partial<InitAnswers> =
    flags.yes === true
      ? {
          agent: defaults.installed[0] ?? 'claude-code',
          model: '',
          template: 'blank',
          packageManager: defaults.packageManager,
          install: false,
          ...(defaults.sandbox !== undefined && { sandbox: defaults.sandbox }),
        }
      : {};
  return {
    agent: needed('--agent', given.agent ?? fallback.agent, INIT_AGENTS),
    model: needed('--model', given.model ?? fallback.model, { "''": {} }),
    sandbox: needed('--sandbox', given.sandbox ?? fallback.sandbox, SANDBOXES),
    template: needed('--template', given.template ?? fallback.template, TEMPLATES),
    packageManager: needed(
      '--package-manager',
      given.packageManager ?? fallback.packageManager,
      PACKAGE_MANAGERS,
    ),
    install: needed('--install` or `--no-install', given.install ?? fallback.install, {}),
  };
}

function choiceOf<TName extends string>(
  flag: string,
  value: string | undefined,
  choices: Readonly<Record<TName, unknown>>,
): TName | undefined {
  if (value === undefined) return undefined;
  if (isChoice(value, choices)) return value;
  throw new UsageError(
    `Expected \`${flag}\` to be one of ${Object.keys(choices).join(', ')}, got ${describeValue(value)}.`,
  );
}

function isChoice<TName extends string>(
  value: string,
  choices: Readonly<Record<TName, unknown>>,
): value is TName {
  return Object.hasOwn(choices, value);
}

function needed<TValue>(flag: string, value: TValue | undefined, choices: object): TValue {
  if (value !== undefined) return value;
  const names = Object.keys(choices);
  const hint = names.length === 0 ? '' : ` (${names.join(', ')})`;
  throw new UsageError(
    `\`truecast init\` needs \`${flag}\`${hint}: there is no terminal for questions, or no default works here. Pass it, or pass \`--yes\` for all defaults.`,
  );
}

async function ask(
  given: CheckedFlags,
  defaults: InitDefaults,
  terminal: AskingTerminal,
): Promise<InitAnswers> {
  const io = { input: terminal.stdin, output: terminal.stderr };
  const choose = async <TName extends string>(
    message: string,
    choices: Readonly<Record<TName, { readonly hint: string }>>,
    initialValue?: TName,
  ): Promise<TName> => {
    const options = Object.entries<{ readonly hint: string }>(choices).map(([value, { hint }]) => ({
      value,
      label: value,
      hint,
    }));
    const start = initialValue === undefined ? {} : { initialValue };
    // The options are the keys of `choices`.
    return answered(await select<string>({ ...io, ...start, message, options }), io) as TName;
  };
  const agent =
    given.agent ??
    (await choose('Which agent?', withInstalled(INIT_AGENTS, defaults.installed), defaults.installed[0]));
  const model =
    given.model ??
    answered(
      await text({
        ...io,
        message: 'Which model?',
        placeholder: "empty: the agent's default",
        defaultValue: '',
      }),
      io,
    );
  const sandbox =
    given.sandbox ?? (await choose('Which sandbox should it run in?', SANDBOXES, defaults.sandbox));
  const template = given.template ?? (await choose('Which template?', TEMPLATES));
  const packageManager =
    given.packageManager ??
    (await choose('Which package manager?', PACKAGE_MANAGERS, defaults.packageManager));
  const install =
    given.install ??
    answered(await confirm({ ...io, message: `Add Truecast and Zod with ${packageManager} now?` }), io);
  return { agent, model, sandbox, template, packageManager, install };
}

function withInstalled(
  agents: typeof INIT_AGENTS,
  installed: readonly InitAgentName[],
): Readonly<Record<InitAgentName, { readonly hint: string }>> {
  const found = installed.map((name) => [name, { hint: `${agents[name].hint}; installed` }] as const);
  return { ...agents, ...Object.fromEntries(found) };
}

function answered<TValue>(
  value: TValue,
  io: { readonly output: NodeJS.WriteStream },
): Exclude<TValue, symbol> {
  // After the `isCancel` check, a prompt's answer cannot be a symbol.
  if (!isCancel(value)) return value as Exclude<TValue, symbol>;
  cancel('Nothing was written.', io);
  throw new InterruptedError(
    'The questions were cancelled, and nothing was written. Run `truecast init` again.',
    {
      processSignal: 'SIGINT',
    },
  );
}
