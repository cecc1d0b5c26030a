/** Queue of asynchronous work of this process: one call at a time, in the order of the calls. */

/** Runs `work` after all earlier calls. Its result and its error are those of `work`. */
export type OneAtATime = <T>(work: () => Promise<T>) => Promise<T>;

export function createOneAtATime(): OneAtATime {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}
