/** One typed answer with `useAnswer`: the draft grows in a `ValuePanel`, then the value is valid. */
import { useAnswer, ValuePanel } from '@truecast/client/react';
import { bug, client, output } from './connection.ts';

export function AnswerPage() {
  const { ask, stop, status, draft, output: value, receipt, error } = useAnswer({ client, output });
  return (
    <section aria-label="Answer">
      <ValuePanel schema={bug} draft={draft} receipt={receipt} />
      <p role="status">{status}</p>
      {value && <strong>{`${value.file}:${value.line}`}</strong>}
      {error && <p role="alert">{error.message}</p>}
      <button onClick={() => ask('Which line has the bug?')}>Ask</button>
      <button onClick={stop}>Stop</button>
    </section>
  );
}
