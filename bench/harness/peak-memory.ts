/** Peak of the resident memory of this process. */
import { readFileSync } from 'node:fs';

/** Bytes. `maxRSS` of a process also counts the peak of the one that forked it, so Linux is asked directly. */
export function peakMemory(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const found = /^VmHWM:\s+(?<kilobytes>\d+) kB$/mu.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(found?.groups?.['kilobytes']) * 1024;
}
