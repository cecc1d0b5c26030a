/**
 * Form for the calls that a client must run: the user enters their results as JSON and submits them
 * together.
 */
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import type { FoldedChat } from '@truecast/client/internal/state/folded-chat';
import { ProblemBox } from '../parts/page.tsx';
import { Countdown } from '../parts/relative-time.tsx';
import { useClient } from '../session/use-client.ts';
import { indentJson } from '../json/indent-json.ts';

interface FormProps {
  readonly chatId: string;
  readonly action: NonNullable<FoldedChat['action']>;
}

interface Entry {
  readonly text: string;
  readonly isError: boolean;
}

const EMPTY: Entry = { text: '', isError: false };

/** Renders one field per call. */
export function ToolResultsForm({ chatId, action }: FormProps): ReactNode {
  const client = useClient();
  const [entries, setEntries] = useState<Readonly<Record<string, Entry>>>({});
  const submit = useMutation({
    mutationFn: () =>
      client.chat({ id: chatId }).submitToolResults(
        action.tool_calls.map(({ tool_call_id }) => {
          const { text, isError } = entries[tool_call_id] ?? EMPTY;
          return { tool_call_id, output: toOutput(text), ...(isError && { is_error: true }) };
        }),
      ),
  });
  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    submit.mutate();
  };
  return (
    <form
      onSubmit={onSubmit}
      aria-label="Tool results"
      className="mt-4 space-y-4 rounded-lg border border-warn-edge bg-warn-soft px-4 py-3"
    >
      <div className="flex flex-wrap justify-between gap-x-4 gap-y-1 text-warn">
        <p className="font-medium">
          The chat waits for a client to run {action.tool_calls.length === 1 ? 'this tool' : 'these tools'}.
        </p>
        {action.deadline !== undefined && <Countdown until={action.deadline} />}
      </div>
      {action.tool_calls.map(({ tool_call_id: id, tool_name: name, args }) => (
        <Call
          key={id}
          id={id}
          name={name}
          args={args}
          entry={entries[id] ?? EMPTY}
          onChange={(entry) => setEntries({ ...entries, [id]: entry })}
        />
      ))}
      <button className="button button-primary" type="submit" disabled={submit.isPending}>
        {action.tool_calls.length === 1 ? 'Send the result' : 'Send all results'}
      </button>
      {submit.error !== null && <ProblemBox error={submit.error} />}
    </form>
  );
}

interface CallProps {
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
}

function Call({ id, name, args, entry, onChange }: CallProps): ReactNode {
  return (
    <div>
      <label className="label mb-1" htmlFor={`result-${id}`}>
        Result of <code>{name}</code>
      </label>
      <pre
        className="mb-2 max-h-40 overflow-auto break-words whitespace-pre-wrap"
        tabIndex={0}
        role="group"
        aria-label={`Arguments of ${name}`}
      >
        {indentJson(args)}
      </pre>
      <textarea
        id={`result-${id}`}
        rows={2}
        className="field resize-y font-mono text-code"
        placeholder='JSON, such as {"found": 3}. Other text is sent as a string.'
        value={entry.text}
        onChange={({ target }) => onChange({ ...entry, text: target.value })}
      />
      <label className="mt-1 flex min-h-8 items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={entry.isError}
          onChange={({ target }) => onChange({ ...entry, isError: target.checked })}
        />
        The tool failed
      </label>
    </div>
  );
}

/** Returns the parsed JSON. Text that is not JSON is a string. */
function toOutput(text: string): unknown {
  const value = jsonValueOf(text);
  return value === undefined ? text : value;
}
