/** Rows of a batch on a terminal: one for each running item. */
import { createSecretMask } from '@truecast/host/internal/masking/secret-mask';
import type { BatchItem } from 'truecast/internal/run/batch/batch-queue';
import type { RunEvent } from 'truecast/internal/run/events/run-events';
import { createRunView, type RunView } from 'truecast/internal/run/logging/run-view';
import { toTerminalText } from 'truecast/internal/support/terminal-text';

/** The items that run now. */
export interface BatchRows {
  /** Applies an event of an item's run. */
  see(event: RunEvent, item: BatchItem): void;
  /** Returns one line for each running item, in the order in which they began. */
  describe(): readonly string[];
}

/** Events are masked already. */
const NO_SECRETS = createSecretMask([]);

/** @param maxAttempts - attempts at an answer of each item */
export function createBatchRows(maxAttempts: number): BatchRows {
  const running = new Map<string, { readonly label: string; readonly view: RunView }>();
  return {
    see(event, item) {
      if (event.type === 'run-end') {
        running.delete(item.key);
        return;
      }
      const known = running.get(item.key) ?? {
        label: labelOf({ ...item, id: idOf(item) }),
        view: newView(maxAttempts),
      };
      running.set(item.key, known);
      known.view.apply(event);
    },
    describe: () => [...running.values()].map(({ label, view }) => `${label} · ${view.describe()}`),
  };
}

function idOf({ input }: BatchItem): unknown {
  return Object.hasOwn(input, 'id') ? input['id'] : undefined;
}

function newView(maxAttempts: number): RunView {
  return createRunView({
    mask: NO_SECRETS,
    maxAttempts,
    maxIterations: 1,
    now: () => performance.now(),
  });
}

/** Names an item by its line, and by its id if it has one. */
export function labelOf({ line, id }: { readonly line: number; readonly id?: unknown }): string {
  const isShown = typeof id === 'string' || typeof id === 'number';
  return toTerminalText(`line ${line}${isShown ? ` (${id})` : ''}`);
}
