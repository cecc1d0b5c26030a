/**
 * Answers submitted with the finalizer tool: starts the server for a run, and collects the answer
 * of each turn.
 */
import { notProducedError } from '@truecast/core/internal/output/definition/answer-errors';
import {
  type AnyOutputDefinition,
  type OutputCheckContext,
  maxBytesOf,
} from '@truecast/core/internal/output/definition/definition';
import { createFinalizer } from '@truecast/core/internal/output/finalizer/finalizer';
import { FINALIZER_NAME, finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { checkAnswer } from '@truecast/core/internal/output/validate/check-answer';
import type { AnswerFinder } from './answer-finder.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { FinalizerFolder } from './finalizer-folder.ts';
import type { FinalizerServer } from './finalizer-server.ts';

export interface SubmissionFindersOptions {
  readonly output: AnyOutputDefinition;
  readonly folder: FinalizerFolder;
  readonly sandboxTag: SandboxProvider['tag'];
  readonly checkContext: OutputCheckContext;
}

/** Creates a finder for each turn of a run. */
export interface SubmissionFinders {
  next(): AnswerFinder;
  close(): Promise<void>;
}

/** Limits of an answer beside the size that all modes have: limited nesting for parsers. */
const LIMITS = { maxDepth: 1_000, maxValues: 1_000_000 };

/** Report many issues at once: an agent then corrects them in a single attempt. */
const FEEDBACK = { maxIssues: 20, maxChars: 2_000, values: true };

/** Starts the server for a run. The caller closes it. */
export async function startSubmissionFinders(options: SubmissionFindersOptions): Promise<SubmissionFinders> {
  const { output, folder, sandboxTag } = options;
  const maxBytes = maxBytesOf(output);
  // Lazy import: the MCP library takes longer to load than everything else.
  const { startFinalizerServer } = await import('./finalizer-server.ts');
  const server = await startFinalizerServer({
    folder: folder.hostPath,
    tool: finalizerTool(output),
    // A program can write each character as a six-character escape. The rest of a message is small.
    maxLineChars: maxBytes * 6 + 64 * 1024,
  });
  return {
    next: () =>
      nextFinder(server, { ...options, maxBytes, command: folder.command(server.socketName, sandboxTag) }),
    close: () => server.close(),
  };
}

interface FinderOptions extends SubmissionFindersOptions {
  readonly maxBytes: number;
  readonly command: NonNullable<AnswerFinder['mcpServer']>;
}

function nextFinder(
  server: FinalizerServer,
  { output, checkContext, maxBytes, command }: FinderOptions,
): AnswerFinder {
  const answered = Promise.withResolvers<void>();
  let isChecking = false;
  const finalizer = createFinalizer(output, {
    limits: { ...LIMITS, maxBytes },
    feedback: FEEDBACK,
    async check(answer) {
      isChecking = true;
      try {
        const checked = await checkAnswer(answer, output, checkContext);
        if (checked.success) answered.resolve();
        return checked;
      } finally {
        isChecking = false;
      }
    },
  });
  server.serve(finalizer);
  return {
    mcpServer: command,
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

function describeSilence({ wasAsked }: FinalizerServer): string {
  const expected = `Expected an answer with the tool \`${FINALIZER_NAME}\`, got none. The agent's text is not searched.`;
  return wasAsked
    ? `${expected} Set \`maxCorrections\`, or instruct the agent in the prompt to call it.`
    : `${expected} The agent never listed the tool. Check its log to find out why the MCP server \`truecast\` did not start, or set \`tag\`.`;
}
