/** Executed writes: counts the writes of the state of runs in this process, and kills it at one of them. */
import fs from 'node:fs';
import { flushCompileCache, syncBuiltinESMExports } from 'node:module';

/**
 * Kills this process at the write with this number, from 1, of the run's state, or at the record of an
 * agent without a sandbox that was just started.
 */
export interface Kill {
  readonly write: number | 'agent';
  readonly when: 'before' | 'after';
}

/** The writes of the state are the boundaries of all steps. */
export function watchWrites(kill?: Kill): { count(): number; [Symbol.dispose](): void } {
  const { renameSync } = fs;
  let writes = 0;
  const end = (): void => {
    // A killed process leaves no compiled code to the next one.
    flushCompileCache();
    process.kill(process.pid, 'SIGKILL');
  };
  fs.renameSync = (from, to) => {
    const isState = /[/\\]executions[/\\][\da-f]{32}\.json$/u.test(String(to));
    writes += isState ? 1 : 0;
    const isAgent = /[/\\]agents[/\\][^/\\]+\.json$/u.test(String(to));
    const isTime = kill?.write === (isAgent ? 'agent' : isState && writes);
    if (isTime && kill?.when === 'before') end();
    renameSync(from, to);
    if (isTime && kill?.when === 'after') end();
  };
  syncBuiltinESMExports();
  return {
    count: () => writes,
    [Symbol.dispose]() {
      fs.renameSync = renameSync;
      syncBuiltinESMExports();
    },
  };
}
