/** Outcome record of a run: how its answer was obtained, or why it is missing. */
import { ensureStateFolder, repositoryStateFolder } from '@truecast/host/internal/state-folder';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import type { RunAnswer } from '../context/run-answer.ts';
import { appendOutcome, outcomeLogPath } from '../logging/outcome-log.ts';
import { maskValue } from '@truecast/host/internal/masking/mask-value';
import type { WorkingContext } from '../context/run-context.ts';
import { totalUsage } from '../context/run-progress.ts';

/** Final state of a run. */
export interface RunEnding {
  readonly answer?: RunAnswer | undefined;
  readonly error?: unknown;
}

/** Appends one line for a run with an output. Never fails, because the run is over. */
export async function recordRunOutcome(context: WorkingContext, { answer, error }: RunEnding): Promise<void> {
  const { options, progress, workspace } = context;
  if (options.output === undefined) return;
  const issues = StructuredOutputError.isInstance(error) ? error.issues : [];
  const rawMatched = StructuredOutputError.isInstance(error) ? error.rawMatched : undefined;
  try {
    const folder = ensureStateFolder(repositoryStateFolder(workspace.worktree.repository.commonDir));
    await appendOutcome(outcomeLogPath(folder), {
      time: new Date(),
      code:
        answer !== undefined && error === undefined
          ? 'ok'
          : TruecastError.isInstance(error)
            ? error.code
            : 'aborted',
      outcome: outcomeIn(answer?.value, options.output)?.outcome,
      mode: options.mode,
      attempts: progress.attempts.length,
      attemptCodes: progress.attempts.map((attempt) => attempt.code),
      durationMs: Math.round(performance.now() - progress.startedAtMs),
      tag: options.output.tag,
      issuePaths: maskValue(
        issues.map(({ path }) => path),
        context.mask,
      ),
      rawChars: answer?.provenance.raw.length ?? rawMatched?.length,
      check: answer?.provenance.check,
      schemaHash: await schemaHashOf(options.output),
      usage: totalUsage(progress),
      agent: options.agent.name,
      model: progress.model ?? options.agent.model,
    });
  } catch (cause) {
    context.warn(
      `The outcome could not be recorded: ${cause instanceof Error ? cause.message : String(cause)}`,
    );
  }
}
