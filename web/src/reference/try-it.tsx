/** Form that sends an operation to this server with the session's token, and shows the response. */
import { useEffect, useRef, useState, type ReactNode, type SubmitEvent } from 'react';
import { Link } from 'wouter';
import { Folded } from '../parts/folded.tsx';
import { duration } from '../parts/format.ts';
import { readToken } from '../session/access-token.ts';
import { indentJson } from '../json/indent-json.ts';
import type { Operation } from './openapi.ts';
import { pathParameters, sendOperation, type OperationResponse } from './send-operation.ts';

/** Renders the form, closed at first. */
export function TryIt({ operation }: { readonly operation: Operation }): ReactNode {
  return (
    <Folded className="panel" summary={<summary className="px-4 py-2.5 font-semibold">Try it</summary>}>
      <div className="border-t border-line px-4 py-3">
        {readToken() === undefined && !operation.isOpen ? (
          <p className="text-muted">
            This page has no token.{' '}
            <Link className="text-accent-ink underline" href="/">
              Enter one
            </Link>
            , then open the reference again.
          </p>
        ) : (
          <Form operation={operation} />
        )}
      </div>
    </Folded>
  );
}

function Form({ operation }: { readonly operation: Operation }): ReactNode {
  const { id, path, body } = operation;
  const [parameters, setParameters] = useState<Readonly<Record<string, string>>>({});
  const [text, setText] = useState(() => JSON.stringify(body?.example, undefined, 2) ?? '');
  const { response, problem, isSending, send, stop } = useSending(operation);
  const names = [...new Set([...pathParameters(path), ...operation.parameters.map(({ name }) => name)])];
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    send({ parameters, body: text });
  };
  return (
    <form onSubmit={submit} className="space-y-3">
      {names.map((name) => (
        <label key={name} className="block">
          <code className="mb-1 block text-sm">{name}</code>
          <input
            className="field font-mono text-code"
            spellCheck={false}
            autoComplete="off"
            required={pathParameters(path).includes(name)}
            value={parameters[name] ?? ''}
            onChange={({ target }) => setParameters({ ...parameters, [name]: target.value })}
          />
        </label>
      ))}
      {body !== undefined && (
        <label className="block">
          <span className="caption mb-1 block">Body</span>
          <textarea
            rows={8}
            spellCheck={false}
            className="field resize-y font-mono text-code"
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </label>
      )}
      {isSending ? (
        // A separate element. The same element would submit the form with the click that stops it.
        <button key="stop" className="button" type="button" onClick={stop}>
          Stop
        </button>
      ) : (
        <button key="send" className="button button-primary" type="submit">
          Send {id}
        </button>
      )}
      {problem !== undefined && (
        <p role="alert" className="text-bad">
          {problem}
        </p>
      )}
      {response !== undefined && <Response response={response} />}
    </form>
  );
}

interface Sending {
  readonly response: OperationResponse | undefined;
  readonly problem: string | undefined;
  readonly isSending: boolean;
  readonly send: (input: Parameters<typeof sendOperation>[1]) => void;
  readonly stop: () => void;
}

function useSending(operation: Operation): Sending {
  const [response, setResponse] = useState<OperationResponse>();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const stopping = useRef(new AbortController());
  useEffect(() => () => stopping.current.abort(), []);
  const send: Sending['send'] = (input) => {
    const controller = new AbortController();
    stopping.current = controller;
    setProblem(undefined);
    setResponse(undefined);
    setSending(true);
    sendOperation(operation, input, { signal: controller.signal, onChange: setResponse })
      .catch((error: unknown) => {
        if (!controller.signal.aborted) setProblem(`The server did not answer: ${String(error)}. Try again.`);
      })
      .finally(() => setSending(false));
  };
  return { response, problem, isSending, send, stop: () => stopping.current.abort() };
}

function Response({
  response: { status, text, durationMs },
}: {
  readonly response: OperationResponse;
}): ReactNode {
  return (
    <div role="status">
      <p className={`text-sm font-medium ${status < 300 ? 'text-ink' : 'text-bad'}`}>
        {status} <span className="font-normal text-muted">after {duration(durationMs)}</span>
      </p>
      {text !== '' && (
        <pre
          className="mt-1 max-h-80 overflow-auto rounded-sm bg-well p-3 break-words whitespace-pre-wrap"
          tabIndex={0}
          role="group"
          aria-label="Response"
        >
          {text.startsWith('{') ? indentJson(text) : text}
        </pre>
      )}
    </div>
  );
}
