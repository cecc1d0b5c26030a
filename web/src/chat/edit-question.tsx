/** Form that changes a question of the chat and runs it again. */
import { useState, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { ProblemBox } from '../parts/page.tsx';
import { useClient } from '../session/use-client.ts';
import { describeCut, questionOf, repeatedQuestion } from './repeated-question.ts';
import type { TranscriptTurn } from './transcript/turns.ts';

interface EditProps {
  readonly chatId: string;
  readonly turns: readonly TranscriptTurn[];
  readonly onClose: () => void;
}

const LABEL_CHARS = 60;

/** Renders the form, with the last question chosen. It describes what will be removed. */
export function EditQuestion({ chatId, turns, onClose }: EditProps): ReactNode {
  const client = useClient();
  const asked = turns.filter(({ user }) => user !== undefined);
  const [index, setIndex] = useState(asked.length - 1);
  const turn = asked[index];
  const [text, setText] = useState(turn === undefined ? '' : questionOf(turn));
  const edit = useMutation({
    mutationFn: async (of: TranscriptTurn) => {
      if (of.user !== undefined) {
        await client.chat({ id: chatId }).edit(of.user.id, repeatedQuestion(of, text));
      }
    },
    onSuccess: onClose,
  });
  const canRun = text.trim() !== '' && turn !== undefined && !edit.isPending;
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (canRun) edit.mutate(turn);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
  };
  const choose = (chosen: number): void => {
    setIndex(chosen);
    const other = asked[chosen];
    if (other !== undefined) setText(questionOf(other));
  };
  return (
    <form className="space-y-3 px-5 py-4" onSubmit={submit}>
      <h2 className="text-lg font-semibold">Edit and run again</h2>
      <QuestionChoice asked={asked} index={index} onChoose={choose} />
      <textarea
        autoFocus
        rows={5}
        className="field resize-y"
        aria-label="Question"
        aria-describedby="edit-cut"
        value={text}
        onKeyDown={onKeyDown}
        onChange={({ target }) => setText(target.value)}
      />
      <p id="edit-cut" className="text-warn">
        {describeCut(asked, index)}
      </p>
      {edit.error !== null && <ProblemBox error={edit.error} />}
      <div className="flex gap-2">
        <button className="button button-primary" type="submit" disabled={!canRun}>
          Run again
        </button>
        <button className="button" type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly asked: readonly TranscriptTurn[];
  readonly index: number;
  readonly onChoose: (index: number) => void;
}

/** Choice among the questions, if there are several. */
function QuestionChoice({ asked, index, onChoose }: ChoiceProps): ReactNode {
  if (asked.length < 2) return null;
  return (
    <select
      className="field"
      aria-label="Question of the chat"
      value={index}
      onChange={({ target }) => onChoose(Number(target.value))}
    >
      {asked.map((each, at) => (
        <option key={each.user?.id} value={at}>
          {`${at + 1}. ${questionOf(each).slice(0, LABEL_CHARS)}`}
        </option>
      ))}
    </select>
  );
}
