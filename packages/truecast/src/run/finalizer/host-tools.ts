/**
 * Host tools: functions of the caller's program that the agent calls from its sandbox. They run here,
 * on the host, during the agent's turns.
 *
 * arguments as text → JSON → the tool's schema → `execute` → masked, cut → result of the call
 */
import type { StepCall } from '@truecast/core/internal/errors/base/answer-step';
import { cut } from '@truecast/core/internal/kit/describe-value';
import { parseJson } from '@truecast/core/internal/json/parse-json';
import type { ReadyTools } from '@truecast/model/internal/tools/read-tools';
import { failed, runTool, type ToolResult } from '@truecast/model/internal/tools/run-tool';

/** A tool as an MCP server lists it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A call from inside the sandbox. */
export interface HostCall {
  readonly name: string;
  /** The arguments as the agent wrote them. */
  readonly argumentsText: string;
  /** Aborted if the agent cancels the call or disconnects. */
  readonly signal: AbortSignal;
}

/** The tools of one run. */
export interface HostTools {
  readonly listed: readonly ListedTool[];
  has(name: string): boolean;
  /** Runs a call. Never rejects: each failure is a result. */
  call(call: HostCall): Promise<ToolResult>;
  /** True while the agent waits for a result. */
  readonly isBusy: boolean;
  /** Accepts calls until the returned function is called, which aborts those that still run. */
  beginTurn(): () => void;
}

export interface HostToolsOptions {
  readonly tools: ReadyTools;
  /** Aborts every call. */
  readonly signal: AbortSignal;
  mask(text: string): string;
  /** Receives each call after it has ended. */
  onCall(call: StepCall): void;
}

/** Calls that run at the same time. Others wait. */
const MAX_RUNNING = 8;
/** Calls of one run. Each of them is an event, which is kept until it is read. */
const MAX_CALLS = 10_000;
/** Length of the arguments of one call, in UTF-16 units. */
export const MAX_ARGUMENT_CHARS = 1_048_576;

const BETWEEN_TURNS = 'Not run: no turn of the agent is running.';

export function createHostTools(options: HostToolsOptions): HostTools {
  const { tools, signal, mask, onCall } = options;
  const slots = createSlots(MAX_RUNNING);
  let turn: AbortController | undefined;
  let calls = 0;
  let running = 0;

  async function run({ name, argumentsText, signal: ofCall }: HostCall): Promise<ToolResult> {
    const tool = tools.get(name);
    if (tool === undefined) return failed(`There is no tool \`${cut(name)}\`.`);
    if (turn === undefined) return failed(BETWEEN_TURNS);
    if (calls > MAX_CALLS) {
      return failed(
        `Not run: the limit of ${MAX_CALLS} calls in one run is reached. Work without this tool.`,
      );
    }
    if (argumentsText.length > MAX_ARGUMENT_CHARS) {
      return failed(`Not run: the arguments have more than ${MAX_ARGUMENT_CHARS} characters. Send less.`);
    }
    const input = parseJson(argumentsText);
    if (!input.success) return failed(`The arguments are not valid JSON. Call \`${name}\` again.`);
    const context = {
      toolCallId: `call-${calls}`,
      signal: AbortSignal.any([signal, turn.signal, ofCall]),
      messages: [],
      mask,
      maskResult: mask,
    };
    return slots(() => runTool(tool, input.value, context));
  }

  return {
    listed: [...tools.values()].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema,
    })),
    has: (name) => tools.has(name),
    async call(call) {
      const startedAtMs = performance.now();
      calls += 1;
      running += 1;
      const result = await run(call).catch(() => failed('Not finished: the call was ended.'));
      running -= 1;
      const durationMs = Math.round(performance.now() - startedAtMs);
      if (calls <= MAX_CALLS) onCall({ name: call.name, isError: result.isError, durationMs });
      return result;
    },
    get isBusy() {
      return running > 0;
    },
    beginTurn() {
      const own = new AbortController();
      turn = own;
      return () => {
        turn = undefined;
        own.abort(new DOMException('The turn of the agent has ended.', 'AbortError'));
      };
    },
  };
}

/** Creates a function that runs work in one of `count` slots. Further work waits for a free one. */
function createSlots(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
