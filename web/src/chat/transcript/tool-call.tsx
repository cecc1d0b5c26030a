/** A tool call of a turn: its arguments, and the time and size of its result. Opens both in full. */
import type { ReactNode } from 'react';
import type { MessagePart } from '@truecast/client';
import { outcomeOf, resultText } from './tool-outcome.ts';
import type { TranscriptTurn } from './turns.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { isRecord } from '@truecast/core/internal/kit/is-record';
import { ChatStatusWord, RunStatusWord } from '../../parts/status-word.tsx';
import { useNextRuns } from '../../runs/durable/next-runs.ts';
import { rowOfDurable } from '../../runs/model/shown-run.ts';
import { useScopes } from '../../session/pages.ts';
import { useClient } from '../../session/use-client.ts';

type ToolCallPart = Extract<MessagePart, { readonly type: 'tool_call' }>;

/** The row is one line. */
const SHOWN_CHARS = 200;

interface CallProps {
  readonly part: ToolCallPart;
  readonly turn: TranscriptTurn;
}

/** Renders the call in one line. A call that started a subagent is a link to its chat, one of an agent has that of its run. */
export function ToolCall({ part, turn }: CallProps): ReactNode {
  const result = turn.steps
    .flatMap(({ content }) => content)
    .find((each) => each.type === 'tool_result' && each.tool_call_id === part.tool_call_id);
  const shown = result?.type === 'tool_result' ? result : undefined;
  const subagent = subagentOf(shown);
  if (subagent !== undefined) return <SubagentLink chatId={subagent} />;
  return (
    <div className="rounded-md border border-line px-4 py-2">
      <details>
        <summary className="truncate">
          <code>{part.tool_name}</code>{' '}
          <span className="text-sm text-muted">{shown === undefined ? 'called' : outcomeOf(shown)}</span>{' '}
          <code className="text-sm text-muted">{part.args.slice(0, SHOWN_CHARS)}</code>
        </summary>
        <Block label="Arguments" text={part.args} />
        {shown !== undefined && <Block label="Result" text={resultText(shown, 2)} />}
      </details>
      {part.run_id !== undefined && <RunLink runId={part.run_id} chatId={chatIdOf(turn)} />}
    </div>
  );
}

function Block({ label, text }: { readonly label: string; readonly text: string }): ReactNode {
  return (
    <div className="mt-2">
      <p className="caption">{label}</p>
      <pre
        className="mt-1 max-h-72 overflow-auto rounded-sm bg-well p-3 break-words whitespace-pre-wrap"
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        {text}
      </pre>
    </div>
  );
}

function chatIdOf({ user, steps }: TranscriptTurn): string {
  return (user ?? steps[0])?.chat_id ?? '';
}

/** Most runs that a list can have. A chat with more has links for the newest ones. */
const MAX_RUNS = 100;

/**
 * Renders the link to the run of an agent. Nothing for a call that created none, such as a refused one. All calls of a
 * chat share one request.
 */
function RunLink({ runId, chatId }: { readonly runId: string; readonly chatId: string }): ReactNode {
  const isEnabled = useScopes()?.includes('runs') === true;
  const run = useNextRuns(chatId, { limit: MAX_RUNS, isEnabled }).find(({ id }) => id === runId);
  if (run === undefined) return null;
  const { status } = rowOfDurable(run, Date.now());
  return (
    <p className="mt-2 flex items-center gap-3">
      <span className="text-sm text-muted">Run</span>
      <Link href={`/runs/${runId}`} className="min-w-0 flex-1 truncate text-accent-ink underline">
        {run.prompt_preview}
      </Link>
      <RunStatusWord status={status} />
    </p>
  );
}

/** Tool that starts a subagent. */
const SPAWN = 'spawn_agent';

/** Returns the chat that a call started. Undefined for other calls, and for one without a result. */
function subagentOf(result: MessagePart | undefined): string | undefined {
  if (result?.type !== 'tool_result' || result.tool_name !== SPAWN || !isRecord(result.result)) {
    return undefined;
  }
  const { chat_id: id } = result.result;
  return typeof id === 'string' ? id : undefined;
}

/** Renders the link. The owner's stream reports each start and end of a turn. */
function SubagentLink({ chatId }: { readonly chatId: string }): ReactNode {
  const client = useClient();
  const chat = useQuery({
    queryKey: ['chats', 'one', chatId],
    queryFn: ({ signal }) => client.chat({ id: chatId }).read({ signal }),
  });
  return (
    <div className="flex items-center gap-3 rounded-md border border-line px-4 py-2">
      <span className="text-sm text-muted">Subagent</span>
      <Link href={`/chats/${chatId}`} className="min-w-0 flex-1 truncate text-accent-ink underline">
        {chat.data?.title || chatId}
      </Link>
      {chat.data !== undefined && <ChatStatusWord status={chat.data.status} />}
      {chat.error !== null && <span className="text-sm text-bad">Chat not found.</span>}
    </div>
  );
}
