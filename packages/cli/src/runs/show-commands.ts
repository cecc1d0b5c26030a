/** `truecast runs list` and `show`: the state of agent runs, as a table and as lines. */
import type {
  AgentRunDetailView,
  AgentRunStatus,
  AgentRunView,
} from '@truecast/client/internal/wire/runs/agent-run';
import { unwrapRoot } from '@truecast/core/internal/schema/wrap-root';
import { parseArguments } from '../flags/read-prompt.ts';
import { connectServer, explained, type ConnectFlags } from '../serve/connect-server.ts';
import { OWN_COMMAND } from '../terminal/own-command.ts';
import { columnsFor, printResult, printText, tell, toJsonText, type Terminal } from '../terminal/print.ts';
import { renderTable } from '../terminal/render-table.ts';

export interface ShowFlags extends ConnectFlags {
  readonly json?: boolean;
}

export interface ListFlags extends ShowFlags {
  readonly status?: AgentRunStatus;
  readonly repository?: string;
  readonly agent?: string;
  /** KEY=VALUE. */
  readonly metadata?: string;
  readonly limit?: number;
}

const DEFAULT_LIMIT = 20;
const HEAD = ['id', 'status', 'agent', 'repository', 'created', 'prompt'];
/** The prompt, then the repository. */
const DROPPABLE = [5, 3];
const MAX_PROMPT = 40;

export async function listRunsCommand(flags: ListFlags, terminal: Terminal): Promise<void> {
  const { status, repository, agent, metadata, limit = DEFAULT_LIMIT } = flags;
  const [pair] = Object.entries(metadata === undefined ? {} : parseArguments([metadata], '--metadata'));
  const client = await connectServer(flags);
  const page = await explained(
    client.runs.list({
      limit,
      ...(status !== undefined && { status }),
      ...(repository !== undefined && { repository }),
      ...(agent !== undefined && { agent }),
      ...(pair !== undefined && { metadata: pair.join(':') }),
    }),
  );
  if (flags.json === true) return printResult(page, terminal);
  if (page.runs.length === 0) {
    return tell(`There are no runs. Create one with \`${OWN_COMMAND} runs create\`.`, terminal);
  }
  const layout = { rightAligned: [], columns: columnsFor(terminal.stdout), droppable: DROPPABLE };
  return printText(`${renderTable([HEAD, ...page.runs.map(toCells)], layout)}\n`, terminal);
}

function toCells({
  id,
  status,
  phase,
  agent,
  repository,
  created_at: created,
  prompt_preview,
}: AgentRunView): string[] {
  const progress = phase === undefined ? status : `${status}, ${phase}`;
  return [id, progress, agent, repository, timeOf(created), prompt_preview.slice(0, MAX_PROMPT)];
}

export async function showRunCommand(id: string, flags: ShowFlags, terminal: Terminal): Promise<void> {
  const client = await connectServer(flags);
  const run = await explained(client.runs.get(id).read());
  if (flags.json === true) return printResult(run, terminal);
  const rows = toRows(run).flatMap(([name, text]) =>
    text === undefined || text === '' ? [] : [[name, text]],
  );
  const width = Math.max(...rows.map(([name = '']) => name.length));
  return printText(
    `${rows.map(([name = '', text = '']) => `${name.padEnd(width)}  ${text}`).join('\n')}\n`,
    terminal,
  );
}

function toRows(run: AgentRunDetailView): readonly (readonly [string, string | undefined])[] {
  const { receipt } = run;
  const error = receipt?.error;
  return [
    ['run', run.id],
    ['status', run.phase === undefined ? run.status : `${run.status}, ${run.phase}`],
    ['waits for', run.waits_for],
    ['agent', run.model === undefined ? run.agent : `${run.agent}:${run.model}`],
    ['repository', run.repository],
    ['branch', run.branch],
    ['parent', run.parent_id && `${run.relation ?? 'run'} ${run.parent_id}`],
    ['worker', run.worker],
    ['created', timeOf(run.created_at)],
    ['started', timeOf(run.started_at)],
    ['ended', timeOf(run.ended_at)],
    ['executions', String(run.executions)],
    ['commits', receipt?.commits.join(' ')],
    ['error', error && [error.code, error.reason, error.message].filter(Boolean).join(': ')],
    ['detail', error?.detail],
    ['answer', receipt?.value === undefined ? receipt?.text : toJsonText(answerOf(run))],
  ];
}

/** Returns the answer. A receipt has an answer that is not an object under a key. */
function answerOf({ receipt, is_wrapped: isWrapped }: AgentRunDetailView): unknown {
  return isWrapped === true ? unwrapRoot(receipt?.value) : receipt?.value;
}

function timeOf(time: string | undefined): string {
  return time === undefined ? '' : time.slice(0, 16).replace('T', ' ');
}
