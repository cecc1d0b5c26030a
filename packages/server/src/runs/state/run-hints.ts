/** Wakes the listeners of runs after commits, behind one store subscription: each notification is read once. */
import type { Notifications } from '@truecast/store/internal/database/store';
import { ListenerTable } from '../../state/listener-table.ts';
import { isEndedRun } from '../run-transitions.ts';
import { RUN_CHANNEL } from './run-context.ts';
import { readRunNotice, type RunNotice } from './run-notice.ts';

/** Change hints of runs. They can be lost. Each method returns the function that stops it. */
export interface RunHints {
  /** Calls `listener` after commits of a run. Without a notice, read the row. */
  readonly onRun: (runId: string, listener: (notice?: RunNotice) => void) => () => void;
  /**
   * Calls `listener` after commits that change the status or the phase of one of an owner's runs. Without an id,
   * any of them can have changed.
   */
  readonly onOwnersRuns: (owner: string, listener: (runId?: string) => void) => () => void;
  /** Calls `listener` after the cancellation of a running run. */
  readonly onCanceling: (listener: (runId: string) => void) => () => void;
}

/** Creates the hints of a store. Subscribed to the store while there are listeners. */
export function runHints(notifications: Notifications): RunHints {
  const byRun = new ListenerTable<RunNotice>();
  const byOwner = new ListenerTable<RunNotice>();
  const canceling = new ListenerTable<RunNotice>();
  const tables = [byRun, byOwner, canceling];
  let unsubscribe: (() => void) | undefined;
  const tell = (payload: string | undefined): void => {
    const notice = readRunNotice(payload);
    if (notice === undefined) return tables.forEach((table) => table.tellAll());
    byRun.tell(notice.id, notice);
    byOwner.tell(notice.owner, notice);
    if (notice.status === 'canceling') canceling.tell('', notice);
  };
  const listen = (
    table: ListenerTable<RunNotice>,
    key: string,
    listener: (notice?: RunNotice) => void,
  ): (() => void) => {
    const remove = table.add(key, listener);
    unsubscribe ??= notifications.subscribe(RUN_CHANNEL, tell);
    return () => {
      remove();
      if (tables.some(({ size }) => size > 0)) return;
      unsubscribe?.();
      unsubscribe = undefined;
    };
  };
  return {
    onRun: (runId, listener) => listen(byRun, runId, listener),
    onOwnersRuns: (owner, listener) => listen(byOwner, owner, changesOf(listener)),
    onCanceling: (listener) => listen(canceling, '', (notice) => notice && listener(notice.id)),
  };
}

/** Leaves out commits without another state: an agent's text is a commit too, several times a second. */
function changesOf(listener: (runId?: string) => void): (notice?: RunNotice) => void {
  const states = new Map<string, string>();
  return (notice) => {
    if (notice === undefined) return listener();
    const { id, status, phase } = notice;
    const state = `${status} ${phase}`;
    if (states.get(id) === state) return undefined;
    if (isEndedRun(status)) states.delete(id);
    else states.set(id, state);
    return listener(id);
  };
}
