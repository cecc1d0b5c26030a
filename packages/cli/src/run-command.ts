/** `truecast run`: runs an agent by flags and prints its typed answer. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import { isAnswer, outcomeIn, type Outcome } from '@truecast/core/internal/output/definition/outcome';
import { assertAnswerText, sessionPrompt } from 'truecast/internal/run/stages/answer-question';
import type { AnyRunOptions, AnyRunResult } from 'truecast/internal/run/options/read-only';
import type { RunResultWithOutput } from 'truecast/internal/run/options/run-options';
import { joinCommand } from 'truecast/internal/support/shell-quote';
import { loadOutput } from './flags/load-output.ts';
import { withDefaultTag } from './flags/output-flags.ts';
import { readPrompt, type PromptFlags } from './flags/read-prompt.ts';
import type { RunFlags } from './flags/run-flags.ts';
import { keepingExitCode, startRun } from './flags/start-run.ts';
import { toRunOptions } from './flags/to-run-options.ts';
import { tellSeal } from './terminal/describe-work.ts';
import { askPerson, canAskPerson } from './terminal/ask-person.ts';
import { OWN_COMMAND } from './terminal/own-command.ts';
import { EXIT, printResult, tell, tellToCopy, type CommandTerminal } from './terminal/print.ts';
import { answerOf, tellCommits } from './terminal/tell-commits.ts';
import { tellSensitiveChanges } from './terminal/tell-sensitive-changes.ts';

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
  const startedMs = performance.now();
  let result: AnyRunResult = await startRun(options);
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
  await tellAccepted(result, options, { startedMs, terminal });
  if (outcome?.outcome === 'question') process.exitCode = EXIT.question;
  if (outcome?.outcome === 'declined') process.exitCode = EXIT.declined;
}

interface Accepting {
  readonly startedMs: number;
  readonly terminal: CommandTerminal;
}

/** Prints the seal of the answer, and where to see how it was obtained. */
async function tellAccepted(
  result: AnyRunResult,
  { output, cwd }: AnyRunOptions,
  { startedMs, terminal }: Accepting,
): Promise<void> {
  if (!('provenance' in result) || !isAnswer(answerOf(result), output)) return;
  const { provenance, usage, branch } = result as RunResultWithOutput<unknown>;
  const durationMs = performance.now() - startedMs;
  tellSeal({ attempts: provenance.attempts.length, durationMs, usage }, terminal);
  const { findRunPage } = await import('./serve/run-page.ts');
  const page = await findRunPage(cwd ?? process.cwd(), (run) => run.branch === branch);
  if (page !== undefined) tellToCopy('In the console', page, terminal);
}

/** Reads the prompt. An answer to a question is the next prompt of the session. */
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
  // The run of an answer has no id: the same command again would ask again, and do the work twice.
  if (flags.id !== undefined) return undefined;
  const outcome = outcomeIn(answerOf(result), output);
  if (outcome?.outcome !== 'question' || !canAskPerson(terminal, flags)) return undefined;
  const text = await askPerson(outcome.question, terminal);
  const { answer } = result as RunResultWithOutput<Outcome<unknown, unknown>>;
  return text === undefined ? undefined : keepingExitCode(() => answer?.(text) ?? Promise.resolve(undefined));
}

/** Flags that belong to the first run, or that the next line sets. */
const NOT_REPEATED: readonly string[] = [
  '--id',
  '--on-interruption',
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
  tellToCopy('To answer', `${OWN_COMMAND} run ${joinCommand(words)} --answer "…"`, terminal);
}

function toJson(result: AnyRunResult): Readonly<Record<string, unknown>> {
  const { resume: _resume, fork: _fork, stdout: _stdout, text: _text, ...rest } = result;
  const sessionId = result.iterations.at(-1)?.sessionId;
  return { ...rest, ...(sessionId !== undefined && { sessionId }) };
}
