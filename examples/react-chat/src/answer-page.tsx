/** One typed answer with `useAnswer`: the draft grows in a `ValuePanel`, refused attempts are listed, then the value is valid. */
import { useAnswer, ValuePanel } from '@truecast/client/react';
import { bug, client, output } from './connection.ts';

export function AnswerPage() {
  const answer = useAnswer({ client, output });
  const { ask, retry, stop, status, draft, attempts, output: value, receipt, error } = answer;
  return (
    <section aria-label="Answer">
      <ValuePanel schema={bug} draft={draft} receipt={receipt} />
      <p role="status">{status}</p>
      <ol aria-label="Refused while asked">
        {attempts.map(({ number, code, issues: [first] }) => (
          <li
            key={number}
          >{`${code} ${first?.path ?? ''} ${first?.rule ?? ''}, got ${first?.got ?? 'nothing'}`}</li>
        ))}
      </ol>
      {value && <strong>{`${value.file}:${value.line}`}</strong>}
      {error && <p role="alert">{error.message}</p>}
      <button onClick={() => ask('Which line has the bug?')}>Ask</button>
      <button onClick={retry}>Retry</button>
      <button onClick={stop}>Stop</button>
    </section>
  );
}
