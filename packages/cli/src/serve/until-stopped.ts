/**
 * Life of a server process: its log, and its signals. The first one shuts down gracefully, the second
 * exits at once.
 */
import { constants } from 'node:os';
import type { LogLevel, ServerConfig } from '@truecast/server/internal/config/server-config';
import { escapeJsonText, type Terminal } from '../terminal/print.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Resolves at the first signal. A second one exits at once with 128 plus the signal's number. No
 * data is lost.
 */
export function untilStopped(onSecond: () => void): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isStopping) {
          onSecond();
          process.exit(128 + constants.signals[signal]);
        }
        isStopping = true;
        resolve(signal);
      });
    }
  });
}

/** Output and level of the log. */
interface ProcessLog {
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
