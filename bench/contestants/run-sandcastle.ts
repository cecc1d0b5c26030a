/**
 * Contestant `@ai-hero/sandcastle`, through its public interface: a custom agent provider that
 * treats every line as text.
 */
import { loadPeer } from '../harness/load-peer.ts';
import { answerSchema, type Answer } from '../inputs/answer-schema.ts';
import { PROMPT, type AgentRunner } from './agent-run.ts';

interface SandcastleModule {
  readonly run: (
    options: unknown,
  ) => Promise<{ readonly output: Answer; readonly commits: readonly unknown[] }>;
  readonly Output: { object(options: unknown): unknown };
  readonly StructuredOutputError: new (
    ...args: never
  ) => Error & { readonly rawMatched?: string; readonly cause?: unknown };
}
interface NoSandboxModule {
  readonly noSandbox: () => unknown;
}

export async function loadSandcastle(): Promise<AgentRunner> {
  const { run, Output, StructuredOutputError } = await loadPeer<SandcastleModule>('@ai-hero/sandcastle');
  const { noSandbox } = await loadPeer<NoSandboxModule>('@ai-hero/sandcastle/sandboxes/no-sandbox');
  return async (request) => {
    try {
      const { output, commits } = await run({
        agent: makeAgent(request.command),
        sandbox: noSandbox(),
        cwd: request.repository,
        prompt: PROMPT,
        branchStrategy:
          request.strategy === 'branch'
            ? { type: 'branch', branch: request.branch }
            : { type: request.strategy },
        output: Output.object({ tag: 'result', schema: answerSchema }),
      });
      return { answer: { answer: output.answer }, commits: commits.length };
    } catch (error) {
      if (!(error instanceof StructuredOutputError)) throw error;
      return { answer: { code: codeOf(error) }, commits: 0 };
    }
  };
}

function makeAgent(command: string): unknown {
  return {
    name: 'program',
    env: {},
    captureSessions: false,
    // The programs read no prompt, and its process ends if one exits before it has written there.
    buildPrintCommand: () => ({ command }),
    parseStreamLine: (line: string) => [{ type: 'text', text: `${line}\n` }],
  };
}

/** Maps its failures to our codes. It has fields instead of codes. */
function codeOf({ rawMatched, cause }: { readonly rawMatched?: string; readonly cause?: unknown }): string {
  if (rawMatched === undefined) return 'tag-not-found';
  return cause instanceof SyntaxError ? 'invalid-json' : 'schema-mismatch';
}
