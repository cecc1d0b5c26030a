/** One typed answer with `useAnswer`: the card shows its draft, each refusal, the correction and the sealed value. */
import { AnswerCard, useAnswer } from '@truecast/client/react';
import { bug, client, output } from './connection.ts';

export function AnswerPage() {
  const answer = useAnswer({ client, output });
  return (
    <section aria-label="Answer">
      <AnswerCard answer={answer} schema={bug} label="Bug" />
      {answer.output && <strong>{`${answer.output.file}:${answer.output.line}`}</strong>}
      <button onClick={() => answer.ask('Which line has the bug?')}>Ask</button>
      <button onClick={answer.stop}>Stop</button>
    </section>
  );
}
