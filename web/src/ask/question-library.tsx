/** Dialog of the kept questions: use one, keep the one of the form, or delete one. */
import { useState, type ReactNode, type SubmitEvent } from 'react';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import type { Question } from '../question/question.ts';
import { useMe } from '../session/pages.ts';
import { dropKept, keep, MAX_KEPT, readKept, type KeptQuestion } from './kept-questions.ts';

interface ButtonProps {
  /** The question of the form. */
  readonly question: Question;
  readonly onUse: (question: Question) => void;
  /** Called when the question of the form is kept. */
  readonly onKeep: () => void;
}

/** Renders the button that opens the dialog, once the owner is known. */
export function LibraryButton(props: ButtonProps): ReactNode {
  const me = useMe();
  const [isOpen, setOpen] = useState(false);
  if (me === undefined) return null;
  return (
    <>
      <button type="button" className="button" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        Kept questions
      </button>
      {isOpen && <QuestionLibrary {...props} owner={me.owner} onClose={() => setOpen(false)} />}
    </>
  );
}

interface LibraryProps extends ButtonProps {
  readonly owner: string;
  readonly onClose: () => void;
}

const TITLE_CHARS = 100;

function QuestionLibrary({ owner, question, onUse, onKeep, onClose }: LibraryProps): ReactNode {
  const [kept, setKept] = useState(() => readKept(owner));
  return (
    <Dialog label="Kept questions" isWide onClose={onClose}>
      <div className="flex items-center justify-between gap-3 border-b border-line px-5 py-3">
        <h2 className="text-base font-semibold">Kept questions</h2>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      <KeepForm
        owner={owner}
        question={question}
        kept={kept}
        onKeep={(all) => {
          setKept(all);
          onKeep();
        }}
      />
      {kept.length === 0 ? (
        <p className="px-5 py-6 text-muted">No question is kept yet.</p>
      ) : (
        <ul aria-label="Kept questions" className="divide-y divide-line">
          {kept.map((each) => (
            <KeptRow
              key={each.title}
              question={each}
              onUse={() => {
                const { message, name, schemaText } = each;
                onUse({ message, name, schemaText });
                onClose();
              }}
              onDelete={() => setKept(dropKept(each.title, owner))}
            />
          ))}
        </ul>
      )}
      <p className="border-t border-line px-5 py-3 text-sm text-muted">
        Questions stay in this browser, at most {MAX_KEPT}, without files and settings. The server does not
        get them. <code>{'{{name}}'}</code> in a kept question is a variable: the form has a field for its
        value.
      </p>
    </Dialog>
  );
}

interface FormProps extends Pick<LibraryProps, 'owner' | 'question'> {
  readonly kept: readonly KeptQuestion[];
  readonly onKeep: (kept: readonly KeptQuestion[]) => void;
}

function KeepForm({ owner, question, kept, onKeep }: FormProps): ReactNode {
  const [title, setTitle] = useState(() => titleOf(question));
  const [problem, setProblem] = useState<string>();
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    const { message, name, schemaText } = question;
    try {
      onKeep(keep({ title: title.trim(), message, name, schemaText }, owner));
      setProblem(undefined);
    } catch {
      setProblem('This browser keeps nothing more for this page. Delete a question, or allow its storage.');
    }
  };
  const isKept = kept.some((each) => each.title === title.trim());
  return (
    <form onSubmit={save} className="border-b border-line bg-well px-5 py-3">
      <label htmlFor="kept-title" className="label">
        Keep the question of the form as
      </label>
      <div className="flex flex-wrap gap-2">
        <input
          id="kept-title"
          className="field min-w-0 flex-1 basis-48"
          maxLength={TITLE_CHARS}
          autoComplete="off"
          value={title}
          onChange={({ target }) => setTitle(target.value)}
        />
        <button type="submit" className="button button-primary" disabled={title.trim() === ''}>
          {isKept ? 'Replace' : 'Keep'}
        </button>
      </div>
      {problem !== undefined && (
        <p role="alert" className="mt-2 text-bad">
          {problem}
        </p>
      )}
    </form>
  );
}

interface RowProps {
  readonly question: KeptQuestion;
  readonly onUse: () => void;
  readonly onDelete: () => void;
}

function KeptRow({ question: { title, name, message }, onUse, onDelete }: RowProps): ReactNode {
  return (
    <li className="flex items-center gap-2 py-1 pr-3 pl-5">
      <button
        type="button"
        className="min-h-11 min-w-0 flex-1 rounded-md py-1 text-left hover:underline"
        onClick={onUse}
      >
        <span className="block truncate font-medium" title={title}>
          {title}
        </span>
        <span className="block truncate text-sm text-muted">
          <code>{name}</code> · {message}
        </span>
      </button>
      <button
        type="button"
        className="button button-quiet shrink-0 px-2"
        aria-label={`Delete ${title}`}
        title="Delete"
        onClick={onDelete}
      >
        <Icon name="refused" />
      </button>
    </li>
  );
}

function titleOf({ message, name }: Question): string {
  const [line = ''] = message.trim().split('\n');
  return (line === '' ? name : line).slice(0, TITLE_CHARS);
}
