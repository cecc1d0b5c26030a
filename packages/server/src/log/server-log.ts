/** Server log: JSON lines with a level and masked texts, written by pino. */
import { pino, stdTimeFunctions } from 'pino';
import type { LogLevel } from '../config/server-config.ts';

/** Members of a line. Undefined members are left out. */
export type LogFacts = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** Writes a line. Never throws. */
export type LogLine = (message: string, facts?: LogFacts) => void;

export type ServerLog = Readonly<Record<Exclude<LogLevel, 'silent'>, LogLine>>;

export interface ServerLogOptions {
  /** Called with each line, without its line feed. */
  readonly write: (line: string) => void;
  readonly level: LogLevel;
  /** Masks secrets in texts. */
  readonly mask: (text: string) => string;
}

export function createServerLog({ write, level, mask }: ServerLogOptions): ServerLog {
  const destination = { write: (line: string): void => writeSafely(write, line.trimEnd()) };
  const options = {
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  const logger = pino(options, destination);
  const lineOf =
    (name: Exclude<LogLevel, 'silent'>): LogLine =>
    (message, facts = {}) => {
      if (logger.isLevelEnabled(name)) logger[name](masked(facts, mask), '%s', mask(message));
    };
  return { debug: lineOf('debug'), info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') };
}

function masked(facts: LogFacts, mask: (text: string) => string): LogFacts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [name, typeof value === 'string' ? mask(value) : value]),
  );
}

/** A failing sink must not end a turn. */
function writeSafely(write: (line: string) => void, line: string): void {
  try {
    write(line);
  } catch {
    process.emitWarning(line, 'TruecastServerWarning');
  }
}
