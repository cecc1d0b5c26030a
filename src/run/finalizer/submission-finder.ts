/** Owns the answers that a run's agent hands in by the tool: the server that takes them, and what becomes of each turn's. */
import { notProducedError } from '../../output/answer-errors.ts';
import type { AnyOutputDefinition, OutputCheckContext } from '../../output/definition.ts';
import { createFinalizer } from '../../output/finalizer/finalizer.ts';
import { FINALIZER_NAME, finalizerTool } from '../../output/finalizer/finalizer-tool.ts';
import { checkAnswer } from '../../output/check-answer.ts';
import type { AnswerFinder } from '../find-answer.ts';
import type { SandboxProvider } from '../sandboxes/sandbox-provider.ts';
import type { FinalizerFolder } from './finalizer-folder.ts';
import type { FinalizerServer } from './finalizer-server.ts';

/** What the finders of one run share. */
export interface SubmissionFindersOptions {
  readonly output: AnyOutputDefinition;
  readonly folder: FinalizerFolder;
  readonly sandboxTag: SandboxProvider['tag'];
  readonly checkContext: OutputCheckContext;
}

/** Makes the finder of each turn of a run. */
export interface SubmissionFinders {
  next(): AnswerFinder;
  close(): Promise<void>;
}

/** An answer as large as by any other route; no deeper than a reader can follow. */
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
const LIMITS = { maxDepth: 1_000, maxValues: 1_000_000 };

/** An agent corrects itself fastest when it is told all at once. */
const FEEDBACK = { maxIssues: 20, maxChars: 2_000, values: true };

/** Starts the server for a run; the caller closes it. */
export async function startSubmissionFinders(options: SubmissionFindersOptions): Promise<SubmissionFinders> {
  const { output, folder, sandboxTag } = options;
  const maxBytes = output.maxPayloadBytes ?? DEFAULT_MAX_BYTES;
  // Loaded when it is needed: the protocol's library takes longer to load than all of the rest.
  const { startFinalizerServer } = await import('./finalizer-server.ts');
  const server = await startFinalizerServer({
    folder: folder.hostPath,
    tool: finalizerTool(output),
    // A program may write each character as an escape of six, in a message with little else.
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
    route: 'mcp',
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
  const expected = `Expected an answer by the tool \`${FINALIZER_NAME}\`, got none; the text is not searched instead.`;
  return wasAsked
    ? `${expected} Set \`maxRetries\`, or tell the agent in the prompt to call it.`
    : `${expected} The agent never asked for the tool: look in its log for why the MCP server \`truecast\` did not start there, or give the output a \`tag\`.`;
}
