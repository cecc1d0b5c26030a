/**
 * Scripted agent provider, to test code around agents. Its process is `scripted-agent-program.ts`.
 */
import { assertKind, UsageError } from '@truecast/core/internal/errors/usage-error';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import type { StreamAgentProvider } from 'truecast/internal/ports/agent-provider';
import { nodeProgramAgent } from '../node-program-agent.ts';
import type { AgentStep } from './agent-step.ts';

/** Context of a starting process. */
export interface ScriptedAgentCall {
  readonly prompt: string;
  /** Number of the process, from 0. A retry is the next one. */
  readonly callIndex: number;
}

/** Options of `scriptedAgent()`. */
export interface ScriptedAgentOptions {
  /** Steps of each process, or a function of the process. Their JSON has at most 110 KiB. */
  readonly steps: readonly AgentStep[] | ((call: ScriptedAgentCall) => readonly AgentStep[]);
  /** @default "scripted" */
  readonly name?: string;
  /** The Node executable where the agent runs. @default the Node of this process */
  readonly node?: string;
}

/** A scripted agent that records its prompts. */
export interface ScriptedAgent extends StreamAgentProvider {
  /** The prompt of each process, in order. */
  readonly prompts: readonly string[];
}

/**
 * Creates an agent whose process follows a script, to test a pipeline without a CLI, a model or a
 * network.
 *
 * All of its stdout is agent text, and only its exit code decides success. It has no sessions: a
 * retry needs `retry: 'fresh'`.
 *
 * @throws UsageError `invalid-option` if a step is not one of `step.…`; at the start of a process,
 *   if the steps are too long
 * @example
 * ```ts
 * const agent = scriptedAgent({
 *   steps: ({ callIndex }) => [
 *     step.shell('echo done > work.txt && git add work.txt && git commit -m work'),
 *     step.print(callIndex === 0 ? '<result>{"answer":"?"}</result>' : '<result>{"answer":42}</result>'),
 *   ],
 * });
 * ```
 * @public
 */
export function scriptedAgent(options: ScriptedAgentOptions): ScriptedAgent {
  assertKind(options, 'an object', 'options', "Pass `{ steps: [step.print('Hello.')] }`.");
  const { steps } = options;
  if (typeof steps !== 'function') assertSteps(steps);
  const prompts: string[] = [];
  const provider = nodeProgramAgent({
    name: options.name ?? 'scripted',
    node: options.node ?? process.execPath,
    // Next to this module in the sources. In the published build it is a separate file next to the
    // bundle.
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
  assertKind(steps, 'an array', 'steps', "Write `[step.print('Hello.')]`.");
  for (const [index, step] of steps.entries()) {
    // The table is indexed by the step's type. TypeScript cannot infer this through a union.
    const check = STEP_CHECKS[step?.type] as ((step: AgentStep) => boolean) | undefined;
    if (check?.(step) === true) continue;
    throw new UsageError(
      `Expected \`steps[${index}]\` to be created with \`step.…\`, got ${describeValue(step)}.`,
    );
  }
}

function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0;
}
