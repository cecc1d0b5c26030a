/** Recording writer. Writes line by line, so that a recording can be played up to a crash. */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import { RECORDING_VERSION, type RecordingHeader, type RecordingLine, type TurnLine } from './recording.ts';

/** Observer of a run that writes one recording. Its input is masked. */
export interface Recorder {
  readonly agent: AgentProvider;
  /** False until the header is written, which needs the agent's version. */
  readonly isOpen: boolean;
  /** Creates the file, and overwrites an existing one. */
  open(agentVersion: string | undefined): Promise<void>;
  raw(text: string): void;
  turn(line: TurnLine): void;
  close(): Promise<void>;
}

/** Size limit of a recording, and a callback that is called once if the limit is exceeded. */
export interface RecorderBounds {
  readonly maxBytes: number;
  readonly onFull: (maxBytes: number) => void;
}

/** Creates a recorder. Its file is created when the first turn begins. */
export function createRecorder(
  path: string,
  agent: AgentProvider,
  { maxBytes, onFull }: RecorderBounds,
): Recorder {
  let bytesLeft = maxBytes;
  let isFull = false;
  let file: FileHandle | undefined;
  let startedAtMs = 0;
  const atMs = (): number => Math.round((performance.now() - startedAtMs) * 10) / 10;
  const writeLine = (value: RecordingHeader | RecordingLine): void => {
    if (file === undefined) return;
    const line = `${JSON.stringify(value)}\n`;
    bytesLeft -= Buffer.byteLength(line);
    if (bytesLeft >= 0) writeSync(file.fd, line);
    else if (!isFull) {
      isFull = true;
      onFull(maxBytes);
    }
  };
  return {
    agent,
    get isOpen() {
      return file !== undefined;
    },
    async open(agentVersion) {
      file = await createFile(path);
      writeLine({
        truecastRecording: RECORDING_VERSION,
        agent: agent.name,
        ...(agentVersion !== undefined && { agentVersion }),
        ...(agent.model !== undefined && { model: agent.model }),
        isPlainText: agent.isPlainText === true,
        recordedAt: new Date().toISOString(),
      });
    },
    raw: (text) => writeLine({ type: 'stdout', atMs: atMs(), text }),
    turn(line) {
      if (line.type === 'turn') startedAtMs = performance.now();
      writeLine(line.type === 'end' ? { ...line, atMs: atMs() } : line);
    },
    async close() {
      const open = file;
      file = undefined;
      await open?.close();
    },
  };
}

async function createFile(path: string): Promise<FileHandle> {
  try {
    return await openChosenFile(path, 'overwrite');
  } catch (cause) {
    throw new UsageError(
      `The recording \`${path}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}. Name another file with \`logging.record\`.`,
      { cause },
    );
  }
}
