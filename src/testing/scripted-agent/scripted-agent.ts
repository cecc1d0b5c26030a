/** Owns the scripted agent as an agent provider, for tests of what is built around agents. The process is `scripted-agent-program.ts`. */
import { describeValue } from '../../errors/describe-value.ts';
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentProvider } from '../../run/agents/agent-provider.ts';
import { nodeProgramAgent } from '../node-program-agent.ts';
import type { AgentStep } from './agent-step.ts';

/** What is known when a process of the agent starts. */
export interface ScriptedAgentCall {
  readonly prompt: string;
  /** Counts the processes of this provider from 0: a retry is the next. */
  readonly callIndex: number;
}

/** Options of `scriptedAgent()`. */
export interface ScriptedAgentOptions {
  /** What each process does; a function decides it for each process. As JSON at most 110 KiB. */
  readonly steps: readonly AgentStep[] | ((call: ScriptedAgentCall) => readonly AgentStep[]);
  /** @default "scripted" */
  readonly name?: string;
  /** The Node that runs it, where the agent works. @default the Node of this process */
  readonly node?: string;
}

/** A scripted agent, with what it was asked. */
export interface ScriptedAgent extends AgentProvider {
  /** The prompt of each process, in order. */
  readonly prompts: readonly string[];
}

/**
 * Makes an agent whose process does what it is told, so that a pipeline is tested with no CLI, no model and no network.
 *
 * All of its stdout is the agent's words, and its exit code alone says whether it succeeded. It has no sessions: a retry needs
 * `retry: 'fresh'`.
 *
 * @throws UsageError `invalid-option` when a step is not one of `step.…`; when the steps are too long, as the process is to start
 * @example
 * ```ts
 * const agent = scriptedAgent({
 *   steps: ({ callIndex }) => [
 *     step.shell('echo done > work.txt && git add work.txt && git commit -m work'),
 *     step.print(callIndex === 0 ? '<result>{"answer":"?"}</result>' : '<result>{"answer":42}</result>'),
 *   ],
 * });
 * ```
 */
export function scriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  const { steps } = options;
  if (typeof steps !== 'function') assertSteps(steps);
  const prompts: string[] = [];
  const provider = nodeProgramAgent({
    name: options.name ?? 'scripted',
    node: options.node ?? process.execPath,
    // Beside this module both in the sources and in the published build, where it is a file of its own.
    programUrl: new URL(
      `./scripted-agent-program${import.meta.url.endsWith('.ts') ? '.ts' : '.mjs'}`,
      import.meta.url,
    ),
    args: (prompt) => {
      const callIndex = prompts.push(prompt) - 1;
      const played = typeof steps === 'function' ? steps({ prompt, callIndex }) : steps;
      assertSteps(played);
      return [JSON.stringify(played)];
    },
  });
  return { ...provider, prompts };
}

const STEP_CHECKS: { readonly [Type in AgentStep['type']]: (step: AgentStep & { type: Type }) => boolean } = {
  print: (step) => typeof step.text === 'string' && isCount(step.repeat),
  complain: (step) => typeof step.text === 'string',
  pause: (step) => isCount(step.pauseMs),
  shell: (step) => typeof step.command === 'string',
  exit: (step) => isCount(step.exitCode) && step.exitCode <= 255,
};

function assertSteps(steps: readonly AgentStep[]): void {
  for (const [index, step] of steps.entries()) {
    // The table is indexed by the step's own type, which TypeScript cannot follow through a union.
    const check = STEP_CHECKS[step.type] as ((step: AgentStep) => boolean) | undefined;
    if (check?.(step) === true) continue;
    throw new UsageError(
      `Expected \`steps[${index}]\` to be made by \`step.…\`, got ${describeValue(step)}.`,
    );
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}
