/**
 * Flag names of the library's options, so that an error of the command line names the flags that
 * the user typed. Replaces only text in backticks, which mark options, values and calls. Pure.
 */
import { AGENTS } from 'truecast/internal/agents/registry/agents';
import { SANDBOXES } from 'truecast/internal/sandboxes/registry/sandboxes';

/** Flags by option key. If several are listed, each command has one of them. */
const FLAG_OF_OPTION: Readonly<Record<string, string>> = {
  agent: '--agent',
  prompt: '--prompt',
  promptFile: '--prompt-file',
  promptArgs: '--arg',
  output: '--schema',
  tag: '--tag',
  mode: '--mode',
  check: '--check',
  maxCorrections: '--max-corrections',
  retry: '--retry',
  'session.resume': '--resume',
  'logging.record': '--record',
  sandbox: '--sandbox',
  imageName: '--image-name',
  egress: '--egress',
  'egress.allow': '--egress',
  branch: '--branch',
  branchPrefix: '--branch-prefix',
  'branchStrategy.editablePaths': '--editable',
  'policies.secretsInCommits': '--secrets-in-commits',
  'policies.sensitiveChanges': '--sensitive-changes',
  cwd: '--cwd --repo',
  name: '--name',
  id: '--id',
  'timeouts.runMs': '--timeout',
  'timeouts.idleMs': '--idle-timeout',
  'timeouts.limitWaitMs': '--max-limit-wait',
  'policies.onLimit': '--on-limit',
  'policies.onInterruption': '--on-interruption',
  publish: '--publish',
  'timeouts.promptExpressionMs': '--prompt-timeout',
  'budget.tokens': '--budget-tokens',
  'budget.requests': '--budget-requests',
  'budget.usd': '--budget-usd',
  inputs: '--inputs',
  out: '--out',
  retryFailed: '--retry-failed',
  readOnly: '--read-only',
  concurrency: '--concurrency',
  databaseUrl: '--database-url',
};

/** Commands by the equivalent call in a program. */
const COMMAND_OF_CALL: Readonly<Record<string, string>> = {
  'run()': 'truecast run',
  'runBatch()': 'truecast batch',
  'Output.instructions(output)': 'truecast instructions',
};

/** Flags by the factory of an agent or a sandbox. */
const FLAG_OF_FACTORY: Readonly<Record<string, string>> = {
  'command()': '--agent command:LINE',
  ...Object.fromEntries(
    Object.entries(AGENTS).map(([name, { factory }]) => [`${factory}()`, `--agent ${name}`]),
  ),
  ...Object.fromEntries(
    Object.entries(SANDBOXES).map(([name, { factory }]) => [`${factory}()`, `--sandbox ${name}`]),
  ),
};

/**
 * Sentences that are only for programs. The first one has no flag, because prices are a table. The
 * command prints the second one itself, with the paths. A test checks that the sources still
 * contain each.
 */
export const PROGRAM_ADVICE: readonly string[] = [
  ', or pass `budget.prices`',
  ' Its work is kept; see the log.',
];

/**
 * Returns a message with flags instead of option keys. A key whose flag the command does not have is
 * unchanged.
 *
 * @param flags - long flags of the command, such as `--tag`
 */
export function inFlagWords(message: string, flags: readonly string[]): string {
  return PROGRAM_ADVICE.reduce((said, advice) => said.replaceAll(advice, ''), message)
    .replaceAll(/`([^`]+)`/gu, (whole, code: string) => {
      const shown = inFlags(code, flags);
      return shown === undefined ? whole : `\`${shown}\``;
    })
    .replaceAll(TYPE_OF_VALUE, '$1');
}

/** Returns the code of a message as typed on the command line: a key, `key: 'value'`, or a call. */
function inFlags(code: string, flags: readonly string[]): string | undefined {
  const call = ownOf(COMMAND_OF_CALL, code) ?? ownOf(FLAG_OF_FACTORY, code);
  if (call !== undefined) return call;
  const { key = '', value } =
    /^(?<key>[\w.]+)(?:: (?<quote>['"])(?<value>[\w-]+)\k<quote>)?$/u.exec(code)?.groups ?? {};
  const flag = ownOf(FLAG_OF_OPTION, key)
    ?.split(' ')
    .find((each) => flags.includes(each));
  return flag === undefined || value === undefined ? flag : `${flag} ${value}`;
}

function ownOf(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** On a command line every value is text. */
const TYPE_OF_VALUE = /(`[^`]*`) \((?:number|string|boolean)\)/gu;
