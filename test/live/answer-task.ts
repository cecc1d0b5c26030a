/** One task of the proof with real models: asks a contestant, and judges its answer. */
import { isDeepStrictEqual } from 'node:util';
import type { Usage } from '../../packages/core/src/kit/usage.ts';
import { priceUsage } from '../../packages/core/src/kit/usage.ts';
import { StructuredOutputError } from '../../packages/core/src/errors/structured-output-error.ts';
import { TruecastError } from '../../packages/core/src/errors/base/truecast-error.ts';
import { generate } from '../../packages/model/src/generate.ts';
import type { ScriptedModelServer } from '../../packages/testing/src/scripted-model/scripted-model-server.ts';
import type { SandboxProvider } from '../../packages/truecast/src/ports/sandbox-provider.ts';
import { run } from '../../packages/truecast/src/run/run.ts';
import type { AgentContestant, ModelContestant } from './contestants.ts';
import { FILES, type LiveTask } from './tasks.ts';

const RUN_MS = 180_000;
const REQUEST_MS = 60_000;
const MAX_OUTPUT_TOKENS = 2_000;

/** Place and limits of the tasks. */
export interface LivePlace {
  readonly cwd: string;
  readonly sandbox: SandboxProvider;
  /** Environment of the process: the keys, and in a dry run the scripted server. */
  readonly env: Readonly<Record<string, string>>;
  readonly dry: ScriptedModelServer | undefined;
}

/** Outcome of a task. */
export interface LiveAnswer {
  readonly task: string;
  /** `ok`, or the code of the failure. */
  readonly code: string;
  readonly attempts: number;
  readonly isRight: boolean;
  readonly usage?: Usage;
  readonly durationMs: number;
}

/** Asks a contestant. Never rejects: a failure is an outcome. */
export async function answerTask(
  contestant: AgentContestant | ModelContestant,
  task: LiveTask,
  place: LivePlace,
  leftUsd: number,
): Promise<LiveAnswer> {
  const startedAtMs = performance.now();
  const ended = (outcome: Omit<LiveAnswer, 'task' | 'durationMs'>): LiveAnswer => ({
    ...outcome,
    task: task.name,
    durationMs: Math.round(performance.now() - startedAtMs),
  });
  try {
    const { output, usage, attempts } =
      contestant.kind === 'agent'
        ? await askAgent(contestant, task, place, leftUsd)
        : await askModel(contestant, task, place, leftUsd);
    const isRight = isDeepStrictEqual(output, task.right);
    const priced = priceUsage(usage, contestant.prices);
    return ended({ code: 'ok', attempts, isRight, ...(priced !== undefined && { usage: priced }) });
  } catch (error) {
    const usage = priceUsage(usageOf(error), contestant.prices);
    const attempts = StructuredOutputError.isInstance(error) ? error.attempts.length : 0;
    const code = TruecastError.isInstance(error) ? error.code : 'unexpected';
    return ended({ code, attempts, isRight: false, ...(usage !== undefined && { usage }) });
  }
}

interface Asked {
  readonly output: unknown;
  readonly usage: Usage | undefined;
  readonly attempts: number;
}

async function askAgent(
  contestant: AgentContestant,
  { question, output }: LiveTask,
  { cwd, sandbox, dry }: LivePlace,
  usd: number,
): Promise<Asked> {
  const result = await run({
    agent: contestant.agent(dry),
    sandbox,
    cwd,
    readOnly: true,
    prompt: `${question} Read the files of this folder, and change nothing.`,
    output,
    budget: { usd, prices: contestant.prices },
    timeouts: { runMs: RUN_MS },
    logging: { type: 'file' },
  });
  return { output: result.output, usage: result.usage, attempts: result.provenance.attempts.length };
}

async function askModel(
  contestant: ModelContestant,
  { question, output }: LiveTask,
  { env, dry }: LivePlace,
  usd: number,
): Promise<Asked> {
  const files = Object.entries(FILES).map(([name, text]) => `${name}:\n${text}`);
  const result = await generate({
    model: contestant.open(env[contestant.keyName] ?? '', dry),
    prompt: `${files.join('\n')}\n${question}`,
    output,
    maxOutputTokens: MAX_OUTPUT_TOKENS,
    prices: contestant.prices,
    budget: { usd },
    timeouts: { requestMs: REQUEST_MS },
  });
  return { output: result.output, usage: result.usage, attempts: result.provenance.attempts.length };
}

function usageOf(error: unknown): Usage | undefined {
  if (!TruecastError.isInstance(error) || !('usage' in error)) return undefined;
  // Each of our errors with this field has a usage, or undefined.
  return error.usage as Usage | undefined;
}
