/** Answers submitted with the finalizer tool: collects the answer of each turn. */
import { notProducedError } from '@truecast/core/internal/output/definition/answer-errors';
import { maxBytesOf } from '@truecast/core/internal/output/definition/assert-output-options';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import type { SafeExtractResult } from '@truecast/core/internal/output/definition/provenance';
import { createFinalizer } from '@truecast/core/internal/output/finalizer/finalizer';
import { FINALIZER_NAME } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { AnswerFinder } from './answer-finder.ts';
import type { RunServer } from './run-server.ts';

export interface SubmissionFindersOptions {
  readonly output: AnyOutputDefinition;
  readonly server: RunServer;
  /** The caller's check of an answer that its schema accepted. */
  readonly check: (answer: SafeExtractResult<unknown>) => Promise<SafeExtractResult<unknown>>;
}

/** Limits of an answer beside the size that all modes have: limited nesting for parsers. */
const LIMITS = { maxDepth: 1_000, maxValues: 1_000_000 };

/** Report many issues at once: an agent then corrects them in a single attempt. */
const FEEDBACK = { maxIssues: 20, maxChars: 2_000, values: true };

/** Returns the finder of the next turn. */
export function nextSubmissionFinder({ output, server, check }: SubmissionFindersOptions): AnswerFinder {
  const answered = Promise.withResolvers<void>();
  let isChecking = false;
  const finalizer = createFinalizer(output, {
    limits: { ...LIMITS, maxBytes: maxBytesOf(output) },
    feedback: FEEDBACK,
    async check(answer) {
      isChecking = true;
      try {
        const checked = await check(answer);
        if (checked.success) answered.resolve();
        return checked;
      } finally {
        isChecking = false;
      }
    },
  });
  server.serve(finalizer);
  return {
    answered: answered.promise,
    isChecked: true,
    isAwaited: () => isChecking,
    push: () => undefined,
    partial: () => undefined,
    async finish() {
      server.serve(undefined);
      const settled = await finalizer.settle();
      return (
        settled ?? { success: false, error: notProducedError(output, { message: describeSilence(server) }) }
      );
    },
  };
}

function describeSilence({ wasAsked }: RunServer): string {
  const expected = `Expected an answer with the tool \`${FINALIZER_NAME}\`, got none. The agent's text is not searched.`;
  return wasAsked
    ? `${expected} Set \`maxCorrections\`, or instruct the agent in the prompt to call it.`
    : `${expected} The agent never listed the tool. Check its log to find out why the MCP server \`truecast\` did not start, or set \`tag\`.`;
}
