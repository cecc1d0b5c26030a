/** Program that gets the value of a receipt: the question of its turn, in several languages. */
import { useEffect, useRef, type ReactNode } from 'react';
import { questionOf } from '../chat/repeated-question.ts';
import type { TranscriptTurn } from '../chat/transcript/turns.ts';
import { CodePanel } from '../question/code-panel.tsx';

const ID = 'code';

/** Renders the program. With `#code` in the address, the page begins there. */
export function ReceiptCode({ turn }: { readonly turn: TranscriptTurn }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (location.hash === `#${ID}`) place.current?.scrollIntoView();
  }, []);
  const { user, format } = turn;
  if (format === undefined) return null;
  const files = (user?.content ?? []).flatMap((part) => (part.type === 'file' ? [part] : []));
  const question = { message: questionOf(turn), name: format.name, schemaText: format.schema_text, files };
  return (
    <div id={ID} ref={place} className="scroll-mt-6 *:mt-0">
      <CodePanel question={question} />
    </div>
  );
}
