/** Wake-ups of a queue's workers: at most one notification is sent at a time, and calls meanwhile share the next. */

/**
 * Returns a function that notifies all workers of a queue. A notification always begins after the call. A failure is
 * ignored, because workers also poll.
 */
export function wakeOnce(publish: (queue: string) => Promise<unknown>): (queue: string) => void {
  const sending = new Set<string>();
  const asked = new Set<string>();
  const wake = (queue: string): void => {
    if (sending.has(queue)) {
      asked.add(queue);
      return;
    }
    sending.add(queue);
    void publish(queue)
      .catch(() => undefined)
      .finally(() => {
        sending.delete(queue);
        if (asked.delete(queue)) wake(queue);
      });
  };
  return wake;
}
