/** Job queue of a process that shares its database with no other one: it has only scheduled work. */
import type { JobQueue } from '../../packages/store/src/queue/job-queue.ts';
import { scheduleWork } from '../../packages/store/src/queue/schedule-work.ts';

/** Creates the queue. Nobody takes its jobs. */
export function loneQueue(): JobQueue {
  return {
    enqueue: () => Promise.resolve(),
    work: () => Promise.resolve(),
    schedule: scheduleWork,
    close: () => Promise.resolve(),
  };
}
