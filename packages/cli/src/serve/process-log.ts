/** Log of a server process: JSON lines on stdout. Text for the person at the terminal is on stderr. */
import type { LogLevel, ServerConfig } from '@truecast/server/internal/config/server-config';
import { escapeJsonText, type Terminal } from '../terminal/print.ts';

/** Output and level of the log. */
export interface ProcessLog {
  readonly writeLog: (line: string) => void;
  readonly logLevel: LogLevel;
}

/** Chooses the level: the flag's, the configuration's, or else `warn` on a terminal. */
export function processLog(
  { logLevel }: { readonly logLevel?: LogLevel },
  config: Pick<ServerConfig, 'logLevel'>,
  { stdout }: Terminal,
): ProcessLog {
  return {
    writeLog: (line) => void stdout.write(`${escapeJsonText(line)}\n`),
    logLevel: logLevel ?? config.logLevel ?? (stdout.isTTY === true ? 'warn' : 'info'),
  };
}
