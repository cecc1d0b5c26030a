/** Actions of a durable run: stop it while it has not ended, and retry it afterwards. */
import type { ReactNode } from 'react';
import { useMutation, useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { randomKey } from '@truecast/client/internal/calls/http-caller';
import {
  agentRunView,
  type AgentRunDetailView,
  type AgentRunView,
} from '@truecast/client/internal/wire/runs/agent-run';
import { ConfirmedButton } from '../../parts/confirmed-button.tsx';
import { useSession } from '../../session/session.tsx';

/** The calls of the page, whose errors are shown below its head. */
interface RunActions {
  readonly stop: UseMutationResult<AgentRunView, Error, void>;
  readonly retry: UseMutationResult<AgentRunView, Error, void>;
}

export function useRunActions(id: string): RunActions {
  const { call } = useSession();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const path = `/api/runs/${encodeURIComponent(id)}`;
  const stop = useMutation({
    mutationFn: () => call({ method: 'POST', path: `${path}/cancel`, shape: agentRunView }),
    // Also after a refusal: the run has another state than the page shows.
    onSettled: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
  const retry = useMutation({
    mutationFn: () =>
      call({ method: 'POST', path: `${path}/retry`, shape: agentRunView, idempotencyKey: randomKey() }),
    onSuccess: (next) => navigate(`/runs/${next.id}`),
  });
  return { stop, retry };
}

interface ButtonsProps {
  readonly run: AgentRunDetailView;
  readonly actions: RunActions;
  /** Opens the form that continues a run that has ended. */
  readonly onContinue?: () => void;
}

export function RunButtons({
  run: { status, phase, receipt },
  actions: { stop, retry },
  onContinue,
}: ButtonsProps): ReactNode {
  if (receipt !== undefined) {
    const retryButton = (
      <ConfirmedButton
        key="retry"
        label="Retry"
        busyLabel="Retrying…"
        press="r"
        question="Retry this run?"
        consequence="A new run starts with the same request. This one and its commits stay."
        confirm="Retry the run"
        keep="Cancel"
        isPrimary={status !== 'succeeded'}
        isBusy={retry.isPending}
        onConfirm={() => retry.mutate()}
      />
    );
    const isDone = status === 'succeeded';
    const continueButton = onContinue !== undefined && (
      <button
        key="continue"
        type="button"
        className={isDone ? 'button button-primary' : 'button'}
        data-press="c"
        onClick={onContinue}
      >
        Continue
      </button>
    );
    // The usual next step is the last button.
    return isDone ? [retryButton, continueButton] : [continueButton, retryButton];
  }
  // An accepted answer is stored in a moment, and cannot be taken back.
  if (status === 'canceling' || phase === 'answered' || phase === 'settled') return null;
  return (
    <ConfirmedButton
      label="Stop"
      busyLabel="Stopping…"
      press="s"
      question="Stop this run?"
      consequence={
        status === 'queued'
          ? 'It ends as canceled, and its agent never starts.'
          : 'It ends as canceled when its agent has stopped. Its commits stay on its branch.'
      }
      confirm="Stop the run"
      keep="Keep it"
      isBusy={stop.isPending}
      onConfirm={() => stop.mutate()}
    />
  );
}
