/** `truecast run`: runs an agent by flags and prints its typed answer. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { outcomeIn, type Outcome } from '@truecast/core/internal/output/definition/outcome';
import type { BranchStrategy } from 'truecast/internal/git/command/branch-strategy';
import type { TreeCheck } from 'truecast/internal/git/command/tree-check';
import { run } from 'truecast/internal/run/run';
import { newBranch } from 'truecast/internal/run/options/new-branch';
import { assertAnswerText, sessionPrompt } from 'truecast/internal/run/stages/answer-question';
import type { AnyRunOptions, AnyRunResult } from 'truecast/internal/run/options/read-only';
import type { RunResultWithOutput } from 'truecast/internal/run/options/run-options';
import { joinCommand } from 'truecast/internal/support/shell-quote';
import type { PolicyLevel } from 'truecast/internal/support/policy-level';
import type { SandboxProvider } from 'truecast/internal/ports/sandbox-provider';
import { chooseAgent, chooseInstalledAgent } from './flags/choose-agent.ts';
import { withDefaultTag, withRetries, loadOutput, type OutputFlags } from './flags/output-flags.ts';
import { addInstruction, parseArguments, readPrompt, type PromptFlags } from './flags/read-prompt.ts';
import { chooseSandbox } from './flags/choose-sandbox.ts';
import {
  budgetOf,
  type BudgetFlags,
  timeoutsOf,
  type LimitFlags,
  type BranchFlags,
} from './flags/flag-values.ts';
import { askPerson, canAskPerson } from './terminal/ask-person.ts';
import { OWN_COMMAND } from './terminal/own-command.ts';
import { EXIT, printResult, tell, type CommandTerminal, type Terminal } from './terminal/print.ts';
import { answerOf, tellCommits } from './terminal/tell-commits.ts';
import { tellSensitiveChanges } from './terminal/tell-sensitive-changes.ts';

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

const EXAMPLE = 'truecast run "Fix the bug"';

/**
 * Runs an agent, prints its progress on stderr, and prints its answer on stdout.
 *
 * Without a branch flag the agent works on a new branch. Its name is printed, and it is never
 * merged.
 */
export async function runCommand(
  word: string | undefined,
  flags: RunFlags,
  terminal: CommandTerminal,
): Promise<void> {
  const prompt = await promptOf(word, flags, terminal);
  const options = await toRunOptions({ ...flags, ...prompt }, terminal);
  let result: AnyRunResult = await keepingExitCode(() => start(options));
  for (;;) {
    tellCommits(result, options, terminal);
    tellSensitiveChanges(result.sensitiveChanges ?? [], terminal);
    const answered = await answerInPerson(result, options, { flags, terminal });
    if (answered === undefined) break;
    result = answered;
  }
  const outcome = outcomeIn(answerOf(result), options.output);
  if (outcome?.outcome === 'question') tellHowToAnswer(result, options, { flags, terminal });
  await printResult(flags.json === true ? toJson(result) : answerOf(result), terminal);
  if (outcome?.outcome === 'question') process.exitCode = EXIT.question;
  if (outcome?.outcome === 'declined') process.exitCode = EXIT.declined;
}

function start(options: AnyRunOptions): Promise<AnyRunResult> {
  return options.readOnly === true
    ? run({ ...options, readOnly: true })
    : run({ ...options, readOnly: false });
}

/** Reads the prompt. The answer to a question is the prompt of its session. */
async function promptOf(
  word: string | undefined,
  flags: RunFlags,
  terminal: CommandTerminal,
): Promise<PromptFlags> {
  const { answer, resume } = flags;
  if (answer === undefined) return readPrompt(word, flags, terminal, EXAMPLE);
  if (resume === undefined) {
    throw new UsageError('`--answer` needs the session of the question. Pass `--resume SESSION`.');
  }
  if (word !== undefined || flags.prompt !== undefined || flags.promptFile !== undefined) {
    throw new UsageError('`--answer` is the prompt of the session. Remove the other prompt.');
  }
  assertAnswerText(answer, '`--answer`');
  return { prompt: sessionPrompt(await loadOutput(withDefaultTag(flags)), answer) };
}

interface Asking {
  readonly flags: RunFlags;
  readonly terminal: CommandTerminal;
}

/** Asks the person at the terminal. Returns undefined without a question or an answer. */
async function answerInPerson(
  result: AnyRunResult,
  { output }: AnyRunOptions,
  { flags, terminal }: Asking,
): Promise<AnyRunResult | undefined> {
  const outcome = outcomeIn(answerOf(result), output);
  if (outcome?.outcome !== 'question' || !canAskPerson(terminal, flags)) return undefined;
  const text = await askPerson(outcome.question, terminal);
  const { answer } = result as RunResultWithOutput<Outcome<unknown, unknown>>;
  return text === undefined ? undefined : keepingExitCode(() => answer?.(text) ?? Promise.resolve(undefined));
}

/** Flags that belong to the first prompt, or that the next line sets. */
const NOT_REPEATED: readonly string[] = [
  '--prompt',
  '--prompt-file',
  '--prompt-timeout',
  '--arg',
  '--agent',
  '--branch',
  '--branch-prefix',
  '--resume',
  '--answer',
  '--record',
];

/** Prints the command that continues after a question. */
function tellHowToAnswer(result: AnyRunResult, { agent }: AnyRunOptions, { flags, terminal }: Asking): void {
  const session = result.iterations.at(-1)?.sessionId;
  if (session === undefined || result.resume === undefined) {
    const place = result.branch === undefined ? '' : ` on ${result.branch}`;
    tell(
      `The agent asked a question, and has no session to continue. Run it again${place} with the answer in the prompt.`,
      terminal,
    );
    return;
  }
  const repeated = (flags.given ?? []).filter(({ flag }) => !NOT_REPEATED.includes(flag));
  const name = flags.agent ?? (agent.model === undefined ? agent.name : `${agent.name}:${agent.model}`);
  const branch = flags.head === true || result.branch === undefined ? [] : ['--branch', result.branch];
  const words = ['--resume', session, ...branch, '--agent', name, ...repeated.flatMap((each) => each.words)];
  tell(`To answer: ${OWN_COMMAND} run ${joinCommand(words)} --answer "…"`, terminal);
}

/**
 * The signal listener keeps the process alive. The interrupted run then fails with its error, and
 * the command exits with the code of that error.
 */
async function keepingExitCode<TResult>(work: () => Promise<TResult>): Promise<TResult> {
  const listener = (): void => undefined;
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.on(signal, listener);
  try {
    return await work();
  } finally {
    for (const signal of signals) process.off(signal, listener);
  }
}

async function toRunOptions(flags: RunFlags, terminal: Terminal): Promise<AnyRunOptions> {
  const note = (line: string): void => tell(line, terminal, 'aside');
  const agent = chooseAgent(flags.agent ?? (await chooseInstalledAgent(note)));
  const output = await loadOutput(withRetries(withDefaultTag(flags), agent));
  const { promptArgs: added, ...prompt } = await addInstruction(flags, output);
  const promptArgs = { ...parseArguments(flags.arg ?? []), ...added };
  const branchStrategy = chooseBranch(flags);
  const sandbox: SandboxProvider = await chooseSandbox(flags, note);
  const { resume, cwd, name } = flags;
  return {
    agent,
    sandbox,
    ...(flags.readOnly === true ? { readOnly: true } : { branchStrategy }),
    logging: {
      type: 'file',
      ...(flags.quiet !== true && { live: terminal.stderr }),
      ...(flags.verbose === true && { verbose: true }),
      ...(flags.record !== undefined && { record: flags.record }),
    },
    ...(output !== undefined && { output }),
    ...prompt,
    ...(Object.keys(promptArgs).length > 0 && { promptArgs }),
    ...(flags.attach !== undefined && { attachments: flags.attach }),
    ...(resume !== undefined && { session: { resume } }),
    policies: {
      ...(flags.sensitiveChanges !== undefined && { sensitiveChanges: flags.sensitiveChanges }),
      ...(flags.secretsInCommits !== undefined && { secretsInCommits: flags.secretsInCommits }),
      ...(flags.onLimit !== undefined && { onLimit: flags.onLimit }),
    },
    ...(cwd !== undefined && { cwd }),
    ...(name !== undefined && { name }),
    timeouts: {
      ...timeoutsOf(flags),
      ...(flags.promptTimeout !== undefined && { promptExpressionMs: flags.promptTimeout * 1000 }),
    },
    ...(flags.publish !== undefined && { publish: flags.publish }),
    ...budgetOf(flags),
  };
}

function chooseBranch({
  branch,
  branchPrefix: prefix,
  merge,
  mergeCheck,
  head,
  editable,
  name,
  answer,
}: RunFlags): BranchStrategy {
  const isContinued = merge === true && branch !== undefined && answer !== undefined;
  if (!isContinued && [branch !== undefined, merge, head].filter(Boolean).length > 1) {
    throw new UsageError(
      '`--branch`, `--merge` and `--head` exclude each other. Pass one of them, or none for a new branch.',
    );
  }
  if (mergeCheck !== undefined && merge !== true) {
    throw new UsageError('`--merge-check` needs `--merge`: without it, nothing is merged.');
  }
  if (editable !== undefined && head !== true) {
    throw new UsageError(
      '`--editable` needs `--head`: without it, the agent can edit every path of its branch.',
    );
  }
  if (prefix !== undefined && (branch !== undefined || head === true)) {
    throw new UsageError(
      '`--branch-prefix` names a new branch, so it excludes `--branch` and `--head`. Remove one of them.',
    );
  }
  if (head === true) return { type: 'head', ...(editable !== undefined && { editablePaths: editable }) };
  if (merge === true) {
    return {
      type: 'merge-to-head',
      ...(prefix !== undefined && { branchPrefix: prefix }),
      ...(branch !== undefined && { branch }),
      ...(mergeCheck !== undefined && { check: commandCheck(mergeCheck) }),
    };
  }
  return branch === undefined ? newBranch({ name, prefix }) : { type: 'branch', branch };
}

const MAX_SHOWN_CHARS = 2_000;

/** Accepts merged files if a command exits with 0. */
function commandCheck(command: string): TreeCheck {
  return async ({ exec }) => {
    const { exitCode, stdout, stderr } = await exec(command);
    if (exitCode === 0) return undefined;
    return `\`${command}\` exited with ${exitCode}. ${`${stdout}${stderr}`.trim().slice(-MAX_SHOWN_CHARS)}`;
  };
}

function toJson(result: AnyRunResult): Readonly<Record<string, unknown>> {
  const { resume: _resume, fork: _fork, stdout: _stdout, text: _text, ...rest } = result;
  const sessionId = result.iterations.at(-1)?.sessionId;
  return { ...rest, ...(sessionId !== undefined && { sessionId }) };
}
