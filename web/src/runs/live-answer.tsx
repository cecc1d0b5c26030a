/** Answer of a live run, which grows in the card of a value. */
import { useMemo, type ReactNode } from 'react';
import { Announcer } from '../chat/transcript/announcer.tsx';
import { AnswerPanel } from '../value/value-panel.tsx';
import type { LiveAnswer } from './model/answer-reader.ts';
import type { ShownRun } from './model/shown-run.ts';

/** Returns true if the card says something: what is expected, what grows, or what was refused. */
export function hasLiveAnswer({ status, durable, schema_hash: hash }: ShownRun, answer: LiveAnswer): boolean {
  if (status !== 'live' && status !== 'canceling') return false;
  const isExpected =
    durable === undefined ? hash !== undefined : durable.response_format?.type === 'json_schema';
  return isExpected || answer.draft !== undefined || answer.attempts.length > 0;
}

interface LiveProps {
  readonly run: ShownRun;
  readonly answer: LiveAnswer;
}

/** Renders the card. A kept run does not have the schema, so only what came is shown. */
export function LiveAnswerCard({ run: { tag, durable }, answer }: LiveProps): ReactNode {
  const format = durable?.response_format;
  const asked = format?.type === 'json_schema' ? format.json_schema : undefined;
  const schemaText = useMemo(() => (asked === undefined ? '' : JSON.stringify(asked.schema)), [asked]);
  return (
    <>
      <AnswerPanel name={asked?.name ?? tag ?? 'answer'} schemaText={schemaText} {...answer} />
      <Announcer attempts={answer.attempts} receipt={undefined} />
    </>
  );
}
