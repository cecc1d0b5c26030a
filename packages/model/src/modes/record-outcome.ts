/** Outcome log of `generate()`: how an answer was obtained, or why it is missing. */
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { trustedPath } from '@truecast/host/internal/trusted-path';
import type { Attempt } from '@truecast/core/internal/errors/base/run-evidence';
import { StructuredOutputError } from '@truecast/core/internal/errors/structured-output-error';
import { TruecastError } from '@truecast/core/internal/errors/base/truecast-error';
import type { Usage } from '@truecast/core/internal/kit/usage';
import { outcomeIn } from '@truecast/core/internal/output/definition/outcome';
import { outcomeLine } from '@truecast/core/internal/output/definition/outcome-line';
import { schemaHashOf } from '@truecast/core/internal/output/definition/output-json-schema';
import type { Conversation } from './conversation.ts';

export interface GenerateEnding {
  readonly attempts: readonly Attempt[];
  readonly usage: Usage | undefined;
  readonly output?: unknown;
  readonly error?: unknown;
}

/**
 * Appends one line to the caller's file. Never fails: the answer exists, so a write error is only a
 * process warning.
 */
export async function recordOutcome(
  { options, mode, startedAtMs }: Conversation,
  { attempts, usage, output, error }: GenerateEnding,
): Promise<void> {
  if (options.outcomes === undefined) return;
  const isStructured = StructuredOutputError.isInstance(error);
  const line = outcomeLine({
    time: new Date(),
    code: error === undefined ? 'ok' : codeOf(error),
    outcome: error === undefined ? outcomeIn(output, options.output)?.outcome : undefined,
    mode: mode?.name,
    attempts: attempts.length,
    attemptCodes: attempts.map(({ code }) => code),
    durationMs: Math.round(performance.now() - startedAtMs),
    tag: options.output.tag,
    issuePaths: isStructured ? error.issues.map(({ path }) => path) : [],
    rawChars: attempts.at(-1)?.rawMatched?.length,
    unenforced: mode?.unenforced?.length,
    schemaHash: await schemaHashOf(options.output),
    usage,
    agent: 'generate',
    model: options.model.modelId,
  });
  try {
    const { path } = trustedPath(options.outcomes, { option: '`outcomes`' });
    await mkdir(dirname(path), { recursive: true });
    await appendFile(path, `${line}\n`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    process.emitWarning(`The outcome could not be recorded: ${reason}`);
  }
}

/** The code of a call's end. */
export function codeOf(error: unknown): string {
  return TruecastError.isInstance(error) ? error.code : 'aborted';
}
