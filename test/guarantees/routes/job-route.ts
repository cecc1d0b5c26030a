/** Agent runs of a server, from the client to the receipt: a server, a worker and a bubblewrap in this process. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { createClient } from '../../../packages/client/src/create-client.ts';
import type { AgentRunLimits, AgentRunReceipt } from '../../../packages/client/src/wire/runs/agent-run.ts';
import { RunEndedError } from '../../../packages/core/src/errors/run-ended-error.ts';
import type { AnyOutputDefinition } from '../../../packages/core/src/output/definition/definition.ts';
import { issueToken } from '../../../packages/server/src/tokens/access-token.ts';
import { startServer } from '../../../packages/server/src/http/test-server.ts';
import { createRunMachine } from '../../../packages/server/src/runs/state/run-machine.ts';
import { RUN_QUEUE, startRunWorker } from '../../../packages/server/src/runs/workers/run-scheduler.ts';
import { openExecutor } from '../../../packages/server/src/serve/open-runs.ts';
import { openJobQueue } from '../../../packages/store/src/queue/open-job-queue.ts';
import { CLAUDE_SESSION, printLine, writeFakeClaude } from '../../fake-claude.ts';
import { temporaryFolder } from '../../run/fixture.ts';
import type { Outcome } from './outcome.ts';

/** What the agent of a run does. */
export interface Job {
  /** Its path, or an address without a password. */
  readonly repository: string | { readonly url: string };
  /** Text of `.truecast/.env` in the worker's clone of an address. */
  readonly envFile?: string;
  /** @default false */
  readonly readOnly?: boolean;
  /** Shell script in the agent's worktree. Its output is the agent's text. */
  readonly script: string;
  /** Shell script that prints the stream of Claude Code itself. @default the printed text, and its end */
  readonly stream?: string;
  /** @default the answer is text */
  readonly output?: AnyOutputDefinition;
  readonly limits?: AgentRunLimits;
}

const SWEEP_MS = 20;
/** Said texts are sent in messages of this many lines. */
const MESSAGE_LINES = 5_000;

/** Escapes the output of a script as the text of messages. Each line is printed at once: awk copies a text that grows. */
const SAY = [
  String.raw`sed 's/\\/\\\\/g; s/"/\\"/g' "$HOME/said" | awk '`,
  String.raw`NR % ${MESSAGE_LINES} == 1 { printf "{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" }`,
  String.raw`{ printf "%s\\n", $0 }`,
  String.raw`NR % ${MESSAGE_LINES} == 0 { print "\"}]}}" }`,
  String.raw`END { if (NR % ${MESSAGE_LINES} != 0) print "\"}]}}" }'`,
].join('\n');

/** The last line, without usage. */
const END = printLine({
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: CLAUDE_SESSION,
});

function programOf({ script, stream = `${SAY}\n${END}` }: Job): string {
  return `cat > /dev/null\nsh -s > "$HOME/said" <<'END_OF_SCRIPT' || exit $?\n${script}\nEND_OF_SCRIPT\n${stream}`;
}

/** Sends the run as a client, and waits for its receipt. */
export async function runAsJob(job: Job): Promise<Outcome> {
  const folder = temporaryFolder();
  vi.stubEnv('PATH', writeFakeClaude(folder, programOf(job)));
  // Sessions of other tests have the same id.
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, '.claude'));
  const { repository } = job;
  const executor = await openExecutor(
    {
      repositories: { web: typeof repository === 'string' ? { path: repository } : repository },
      runs: { agents: ['claude-code'], sandbox: 'bubblewrap', egress: 'none' },
    },
    { folder },
  );
  if (job.envFile !== undefined) writeEnvFile(folder, job.envFile);
  if (executor === undefined) throw new TypeError('The configuration has no runs.');
  const server = await startServer({ runOffers: executor.offers });
  const { store, url, faults } = server;
  const machine = createRunMachine({ store });
  const queue = await openJobQueue({ store, queues: [RUN_QUEUE] });
  const onFault = (_message: string, cause: unknown): void => void faults.push(cause);
  const ports = { machine, executor, queue, worker: 'w1', isDeadWorker: () => false, onFault };
  const worker = await startRunWorker(ports, { sweepMs: SWEEP_MS });
  try {
    const { token } = await issueToken(store, { name: 'runs', owner: 'anna', scopes: ['runs'] });
    const client = createClient({ baseURL: url, token });
    const { output, limits, readOnly } = job;
    const run = await client.runs.create({
      repository: 'web',
      agent: 'claude-code',
      prompt: 'Work. Answer in <result>.',
      ...(limits !== undefined && { limits }),
      ...(readOnly !== undefined && { readOnly }),
      // `create()` takes any definition. Its overloads give the type of the result.
      ...(output !== undefined && { output: output as never }),
    });
    const settled = await run.result().then(
      ({ output: value, receipt }) => ({ value: value as unknown, receipt, isAccepted: true }),
      (error: unknown) => {
        if (!RunEndedError.isInstance(error)) throw error;
        // The client has validated it.
        return { value: undefined, receipt: error.receipt as AgentRunReceipt, isAccepted: false };
      },
    );
    const events = await machine.listRunEvents({ runId: run.id, after: 0, limit: 10_000 });
    return toOutcome(settled, events.map(({ data }) => data).join('\n'));
  } finally {
    await worker.close();
    await queue.close();
    await server.close();
    vi.unstubAllEnvs();
  }
}

/** The worker of the folder has one clone. */
function writeEnvFile(folder: string, text: string): void {
  const clones = join(folder, '.truecast', 'repositories');
  for (const name of readdirSync(clones).filter((each) => !each.startsWith('.'))) {
    mkdirSync(join(clones, name, '.truecast'), { recursive: true });
    writeFileSync(join(clones, name, '.truecast', '.env'), text, { mode: 0o600 });
  }
}

interface Settled extends Pick<Outcome, 'isAccepted' | 'value'> {
  readonly receipt: AgentRunReceipt;
}

function toOutcome({ isAccepted, value, receipt }: Settled, events: string): Outcome {
  const { error, text, branch, commits, warnings } = receipt;
  return {
    isAccepted,
    ...(value !== undefined && { value }),
    ...(text !== undefined && { text }),
    ...(error !== undefined && { code: error.code }),
    message: error === undefined ? '' : `${error.message}\n${error.detail ?? ''}`,
    warnings,
    ...(branch !== undefined && { branch }),
    commits,
    sensitive: [],
    output: `${JSON.stringify(receipt)}\n${events}`,
  };
}
