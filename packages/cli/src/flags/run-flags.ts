/** Flags of `truecast run`, which `truecast action` takes as inputs: their names, parsers and values. */
import { Option, type Command } from 'commander';
import {
  ACP_PRESET_NAMES,
  AGENT_NAMES,
  EXPERIMENTAL_AGENT_NAMES,
} from 'truecast/internal/agents/registry/agent-names';
import { SANDBOX_NAMES } from 'truecast/internal/sandboxes/registry/sandboxes';
import type { PolicyLevel } from 'truecast/internal/support/policy-level';
import {
  editableOption,
  secretsInCommitsOption,
  sensitiveChangesOption,
} from '../terminal/tell-sensitive-changes.ts';
import {
  addBranchFlags,
  addLimitFlags,
  addTimeoutFlags,
  collect,
  positiveNumber,
  secondsOf,
  wholeNumber,
  type BranchFlags,
  type BudgetFlags,
  type LimitFlags,
} from './flag-values.ts';
import {
  addOutcomeFlags,
  addOutputFlags,
  addRetryFlags,
  DEFAULT_RETRIES,
  type OutputFlags,
} from './output-flags.ts';
import { EGRESS_FORMS } from './parse-egress.ts';
import type { PromptFlags } from './read-prompt.ts';

/** A flag, and its words in a command line. */
export interface GivenFlag {
  readonly flag: string;
  readonly words: readonly string[];
}

export interface RunFlags extends OutputFlags, BudgetFlags, LimitFlags, BranchFlags, PromptFlags {
  readonly agent?: string;
  readonly arg?: readonly string[];
  readonly attach?: readonly string[];
  readonly resume?: string;
  readonly answer?: string;
  readonly id?: string;
  readonly onInterruption?: 'auto' | 'restart';
  /** False with `--no-input`. */
  readonly input?: boolean;
  /** The flags as the caller gave them. @default none */
  readonly given?: readonly GivenFlag[];
  readonly record?: string;
  readonly sandbox?: string;
  readonly imageName?: string;
  readonly egress?: string;
  readonly sensitiveChanges?: PolicyLevel;
  readonly secretsInCommits?: PolicyLevel;
  readonly editable?: readonly string[];
  readonly cwd?: string;
  readonly name?: string;
  readonly promptTimeout?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** Returns the name of an agent, with a mark if it is experimental. */
function marked(name: string): string {
  return EXPERIMENTAL_AGENT_NAMES.some((experimental) => experimental === name)
    ? `${name} (experimental)`
    : name;
}

/** Adds `--resume`, `--answer` and `--no-input`. */
function addSessionFlags(command: Command): Command {
  return command
    .option('--resume <session>', 'resume a session of the agent')
    .option(
      '--answer <text>',
      'with --resume: the answer to the question of the session, instead of a prompt',
    )
    .option('--no-input', 'never ask the person at the terminal: a question ends the run');
}

/** Adds `--id` and `--on-interruption`. */
function addExecutionFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--id <id>',
        'id of a job: a second call with the same id returns the result, or continues after a kill; not with --head',
      ).conflicts('head'),
    )
    .addOption(
      new Option(
        '--on-interruption <policy>',
        'with --id, for an agent that was killed before its session was stored: start it again if its egress is none or model (auto), or always (restart) (default: auto)',
      ).choices(['auto', 'restart']),
    );
}

/** Adds every flag of `truecast run`. */
export function addRunFlags(command: Command): Command {
  return addWorkFlags(addPromptFlags(addOutputFlags(command)));
}

function addPromptFlags(command: Command): Command {
  return command
    .option(
      '--agent <agent>',
      `${[...AGENT_NAMES.map(marked), ...ACP_PRESET_NAMES].join(', ')}: NAME or NAME:MODEL; also command:LINE, replay:FILE (default: the first installed agent)`,
    )
    .option('-p, --prompt <text>', 'the prompt, instead of the argument')
    .option(
      '--prompt-file <file>',
      'a prompt template: {{KEY}} arguments, !`command` expressions; - for stdin',
    )
    .option('--arg <KEY=VALUE>', 'a value for a {{KEY}} of the template; repeatable', collect)
    .option('--attach <file>', 'a file for the agent to read, which is not committed; repeatable', collect)
    .option('--prompt-timeout <time>', 'limit for each !`command` of the template (default: 30s)', secondsOf);
}

function addWorkFlags(command: Command): Command {
  const retries = `corrections of an invalid answer (default: ${DEFAULT_RETRIES} if the agent can resume, else 0)`;
  const withBranch = addExecutionFlags(addBranchFlags(addOutcomeFlags(command)));
  const answering = addSessionFlags(addRetryFlags(addLimitFlags(withBranch), { retries }));
  return addBudgetFlags(addPlaceFlags(answering))
    .option('--json', 'print { output, provenance, commits, branch, … } or the error')
    .option('--quiet', 'do not show the progress of the agent')
    .addOption(
      new Option('--verbose', 'also show the raw output of the agent as it arrives').conflicts('quiet'),
    );
}

function addPlaceFlags(command: Command): Command {
  return command
    .option('--record <file>', 'record the agent; --agent replay:FILE replays it without a key or network')
    .option(
      '--sandbox <name>',
      `${SANDBOX_NAMES.join(', ')} (default: the first that works here, never none)`,
    )
    .option('--image-name <name>', 'image for docker and podman (default: truecast:FOLDER of the repository)')
    .option('--egress <policy>', `network access of the sandbox: ${EGRESS_FORMS}`)
    .addOption(sensitiveChangesOption())
    .addOption(secretsInCommitsOption())
    .addOption(editableOption())
    .option('--cwd <dir>', 'the repository (default: the current folder)')
    .option('--name <name>', 'included in the branch and log file names');
}

function addBudgetFlags(command: Command): Command {
  return addTimeoutFlags(command, { about: 'timeout of the whole run, such as 90, 90s or 5m' })
    .option('--budget-tokens <count>', 'stop the run after more than this many tokens', positiveNumber)
    .option('--budget-requests <count>', 'stop the run after more than this many model requests', wholeNumber)
    .option('--budget-usd <amount>', 'stop the run after more than this many US dollars', positiveNumber);
}
