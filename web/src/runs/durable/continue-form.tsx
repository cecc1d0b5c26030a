/** Form that continues a durable run: an answer to the question, or the next task. */
import { useId, useState, type KeyboardEvent, type ReactNode, type SubmitEvent } from 'react';
import { useMutation } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { randomKey } from '@truecast/client/internal/calls/http-caller';
import {
  agentRunView,
  type AgentRunDetailView,
  type AgentRunView,
} from '@truecast/client/internal/wire/runs/agent-run';
import type { ShownQuestion } from '../../value/question-in.ts';
import { Icon } from '../../parts/icon.tsx';
import { ProblemBox } from '../../parts/page.tsx';
import { useSession } from '../../session/session.tsx';
import { useNextRuns } from './next-runs.ts';

interface ContinueFormProps {
  readonly run: AgentRunDetailView;
  /** The question with which the run ended. */
  readonly question: ShownQuestion | undefined;
  /** Closes a form that a button opened. */
  readonly onClose?: () => void;
}

/** Renders the form. A new run starts with it, whose page is opened. */
export function ContinueForm({ run, question, onClose }: ContinueFormProps): ReactNode {
  const id = useId();
  const [message, setMessage] = useState('');
  const [wantsFork, setFork] = useState(false);
  const next = useNextRuns(run.id).find(({ relation }) => relation === 'continue');
  const isFork = wantsFork || next !== undefined;
  const send = useContinue(run.id);
  const submit = (event?: SubmitEvent): void => {
    event?.preventDefault();
    if (message.trim() !== '' && !send.isPending) send.mutate({ message, isFork });
  };
  const onKeyDown = ({ key, ctrlKey, metaKey }: KeyboardEvent): void => {
    if (key === 'Enter' && (ctrlKey || metaKey)) submit();
    if (key === 'Escape') onClose?.();
  };
  const label = question === undefined ? 'Next task' : 'Your answer';
  return (
    <section
      aria-label={question === undefined ? 'Continue this run' : 'Question of the agent'}
      className={`overflow-hidden rounded-xl border bg-raised shadow-2 ${question === undefined ? 'border-control' : 'border-accent-edge'}`}
    >
      {question !== undefined && <Question question={question} onChoose={setMessage} />}
      {next !== undefined && <ForkNotice next={next} />}
      <form onSubmit={submit}>
        <label htmlFor={id} className="block px-4 pt-3 text-sm font-medium">
          {label}
        </label>
        <textarea
          id={id}
          rows={2}
          autoFocus={onClose !== undefined}
          className="block field-sizing-content max-h-[30dvh] w-full resize-none bg-transparent px-4 pt-1 pb-2 outline-none placeholder:text-muted focus-visible:shadow-[inset_3px_0_0_var(--color-accent-ink)]"
          placeholder={question === undefined ? 'The tests fail. Fix them.' : 'The agent continues with it'}
          value={message}
          onKeyDown={onKeyDown}
          onChange={({ target }) => setMessage(target.value)}
        />
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line bg-well px-4 py-2.5">
          <ForkChoice branch={run.branch} isFork={isFork} isFixed={next !== undefined} onChange={setFork} />
          <span className="ml-auto flex gap-2">
            {onClose !== undefined && (
              <button type="button" className="button" onClick={onClose}>
                Cancel
              </button>
            )}
            <button
              type="submit"
              title="Ctrl Enter"
              className="button button-primary"
              disabled={message.trim() === '' || send.isPending}
            >
              {send.isPending ? 'Starting…' : question === undefined ? 'Continue the run' : 'Answer'}
            </button>
          </span>
        </div>
        {send.error !== null && <ProblemBox error={send.error} />}
      </form>
    </section>
  );
}

/** A branch has one follow-up. */
function ForkNotice({ next }: { readonly next: AgentRunView }): ReactNode {
  return (
    <p className="border-b border-line px-4 py-2.5 text-sm text-soft">
      <Link href={`/runs/${next.id}`} className="text-accent-ink underline">
        Another run
      </Link>{' '}
      continues this one on its branch. This one would be a fork, on a new branch.
    </p>
  );
}

interface ForkProps {
  readonly branch: string;
  readonly isFork: boolean;
  /** True if the run can only be forked. */
  readonly isFixed: boolean;
  readonly onChange: (isFork: boolean) => void;
}

function ForkChoice({ branch, isFork, isFixed, onChange }: ForkProps): ReactNode {
  return (
    <>
      <label className="flex min-h-8 items-center gap-2 text-sm text-soft">
        <input
          type="checkbox"
          checked={isFork}
          disabled={isFixed}
          onChange={({ target }) => onChange(target.checked)}
        />
        On a new branch
      </label>
      <span className="min-w-0 flex-1 basis-48 text-xs break-words text-muted">
        {isFork ? (
          'It begins at the last commit of this run.'
        ) : (
          <>
            On <code className="text-xs break-all">{branch}</code>, in the session of the agent.
          </>
        )}
      </span>
    </>
  );
}

interface QuestionProps {
  readonly question: ShownQuestion;
  readonly onChoose: (option: string) => void;
}

function Question({ question: { text, options }, onChoose }: QuestionProps): ReactNode {
  return (
    <div className="border-b border-accent-edge bg-accent-soft px-4 py-3.5">
      <h2 className="flex items-center gap-2 text-sm font-semibold text-accent-ink">
        <Icon name="ask" className="size-4" />
        The agent asks
      </h2>
      <p className="mt-1.5 max-h-[40dvh] overflow-y-auto break-words whitespace-pre-wrap">{text}</p>
      {options.length > 0 && (
        <ul aria-label="Suggested answers" className="mt-2.5 flex flex-wrap gap-2">
          {options.map((option, index) => (
            <li key={index} className="max-w-full">
              <button
                type="button"
                className="button max-w-full text-left whitespace-normal"
                onClick={() => onChoose(option)}
              >
                <span className="min-w-0 break-words">{option}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function useContinue(runId: string) {
  const { call } = useSession();
  const [, navigate] = useLocation();
  return useMutation({
    mutationFn: ({ message, isFork }: { readonly message: string; readonly isFork: boolean }) =>
      call({
        method: 'POST',
        path: `/api/runs/${encodeURIComponent(runId)}/continue`,
        body: { message, fork: isFork },
        shape: agentRunView,
        idempotencyKey: randomKey(),
      }),
    onSuccess: ({ id }) => navigate(`/runs/${id}`),
  });
}
