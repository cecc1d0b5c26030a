/** Answers to compare: requests with the values of their attempts, or runs of coding agents. */
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import { requestDetailView, type RequestDetailView } from '@truecast/client/internal/wire/request';
import type { MessageView } from '@truecast/client';
import { agentRunDetailView } from '@truecast/client/internal/wire/runs/agent-run';
import { runDetailView } from '@truecast/client/internal/wire/kept-run';
import { parseExact } from '@truecast/core/internal/json/exact-value';
import { NO_EVENTS } from '../runs/model/followed-events.ts';
import { titleOfRun } from '../runs/list/run-rows.tsx';
import {
  isKeptId,
  shownDurable,
  shownKept,
  type ShownRun,
  type ShownStatus,
} from '../runs/model/shown-run.ts';
import { useSession, type Session } from '../session/session.tsx';
import { useClient } from '../session/use-client.ts';
import { describeMode } from '../value/describe-attempt.ts';
import { placedIssue } from '@truecast/core/internal/output/validate/describe-refusal';
import { attemptsOf } from '../value/value-state.ts';
import type { ComparedAnswer } from './compared.ts';

/** Answers that were read so far. */
export interface Compared {
  readonly answers: readonly ComparedAnswer[];
  /** The schema of the first answer. Undefined until it is read, and for runs. */
  readonly schemaText: string | undefined;
  readonly question: string | undefined;
  readonly name: string | undefined;
  readonly isPending: boolean;
  readonly error: Error | null;
  /** Reads again what failed. */
  readonly onRetry: () => void;
}

/** Reads requests. They are read again while they run. */
export function useComparedRequests(ids: readonly string[]): Compared {
  const { call } = useSession();
  const client = useClient();
  const queries = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['requests', 'compared', id],
      queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
        const path = `/api/requests/${encodeURIComponent(id)}`;
        const detail = await call({ method: 'GET', path, shape: requestDetailView, signal });
        const { chat_id: chatId, message_id: from = 1 } = detail.request;
        const page = await client
          .chat({ id: chatId })
          .messages({ after: from - 1, limit: MAX_MESSAGES, signal });
        return { detail, messages: page.messages };
      },
    })),
  });
  const [first] = queries;
  const asked = first?.data?.messages[0]?.content.find((part) => part.type === 'response_format');
  return {
    answers: queries.flatMap(({ data }) => (data === undefined ? [] : [answerOfRequest(data)])),
    schemaText: asked?.schema_text,
    question: first?.data && textOfMessage(first.data.messages[0]),
    name: first?.data?.detail.request.name,
    ...stateOf(queries),
  };
}

type ReadState = Pick<UseQueryResult, 'isPending' | 'error' | 'refetch'>;

function stateOf(queries: readonly ReadState[]): Pick<Compared, 'isPending' | 'error' | 'onRetry'> {
  const failed = queries.filter(({ error }) => error !== null);
  return {
    isPending: queries.some(({ isPending }) => isPending),
    error: failed[0]?.error ?? null,
    onRetry: () => failed.forEach(({ refetch }) => void refetch()),
  };
}

/** An answer has fewer steps. It is also the maximum page size of the route. */
const MAX_MESSAGES = 200;

function textOfMessage(message: MessageView | undefined): string {
  return (message?.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
}

interface ReadRequest {
  readonly detail: RequestDetailView;
  readonly messages: readonly MessageView[];
}

function answerOfRequest({ detail: { request, receipt }, messages }: ReadRequest): ComparedAnswer {
  const { attempts, status, usage, value_text: text } = receipt;
  const made = attemptsOf(messages).slice(0, attempts.length);
  const isOpen = status === 'queued' || status === 'running';
  const last = made.at(-1);
  return {
    key: request.request_id,
    title: receipt.model ?? request.model ?? 'default model',
    href: `/chats/${request.chat_id}/requests/${request.request_id}`,
    state: status === 'succeeded' ? 'valid' : isOpen ? 'open' : 'failed',
    note: noteOf(status, attempts.length, receipt.error?.message),
    value: text === undefined ? (receipt.value ?? last?.value) : parseExact(text),
    refused: made.slice(0, -1).map(({ value }) => value),
    issues: (last?.attempt.issues ?? []).map(({ path, rule }) => placedIssue({ path, rule })),
    attempts: attempts.length,
    durationMs: receipt.duration_ms,
    costUsd: usage?.cost_usd,
    tokens: usage && usage.input_tokens + usage.output_tokens,
    facts: { 'Requested by': receipt.mode && describeMode(receipt.mode) },
  };
}

function noteOf(status: string, attempts: number, error: string | undefined): string {
  if (status === 'succeeded') return `valid at attempt ${attempts}`;
  if (status !== 'failed') return status;
  if (attempts === 0) return error ?? 'failed';
  return attempts === 1 ? 'refused once' : `refused ${attempts} times`;
}

/** Reads runs of coding agents. */
export function useComparedRuns(ids: readonly string[]): Compared {
  const { call } = useSession();
  const queries = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['runs', 'compared', id],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => readRun(call, id, signal),
    })),
  });
  const runs = queries.flatMap(({ data }) => data ?? []);
  const [first] = runs;
  return {
    answers: runs.map(answerOfRun),
    schemaText: undefined,
    question: first?.prompt,
    name: first && titleOfRun(first),
    ...stateOf(queries),
  };
}

async function readRun(call: Session['call'], id: string, signal: AbortSignal): Promise<ShownRun> {
  const read = { method: 'GET', signal } as const;
  if (isKeptId(id)) {
    const path = `/api/kept_runs/${encodeURIComponent(id)}`;
    return shownKept(await call({ ...read, path, shape: runDetailView }));
  }
  const path = `/api/runs/${encodeURIComponent(id)}`;
  return shownDurable(await call({ ...read, path, shape: agentRunDetailView }), NO_EVENTS, Date.now());
}

const OPEN: readonly ShownStatus[] = ['queued', 'live', 'canceling'];

function answerOfRun(run: ShownRun): ComparedAnswer {
  const { id, agent, model, status, attempts, usage, value_text: text, commits, failure } = run;
  return {
    key: id,
    title: model === undefined ? agent : `${agent} ${model}`,
    href: `/runs/${id}`,
    state: status === 'valid' || status === 'done' ? 'valid' : OPEN.includes(status) ? 'open' : 'failed',
    note: status === 'valid' ? `valid at attempt ${attempts.length}` : (failure?.message ?? status),
    value: text === undefined ? undefined : parseExact(text),
    refused: [],
    issues: [],
    attempts: attempts.length,
    durationMs: run.duration_ms,
    costUsd: usage?.cost_usd,
    tokens: usage && usage.input_tokens + usage.output_tokens,
    facts: {
      Run: titleOfRun(run),
      Commits: String(commits.length),
      Repository: run.durable?.repository,
      Sandbox: run.sandbox,
      Egress: run.egress,
    },
  };
}
