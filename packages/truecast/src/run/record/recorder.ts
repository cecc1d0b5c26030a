/** Recording writer. Writes line by line, so that a recording can be played up to a crash. */
import { writeSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { AgentProvider } from '../../ports/agent-provider.ts';
import { openChosenFile } from '../../support/open-chosen-file.ts';
import type { SecretMask } from '@truecast/host/internal/masking/secret-mask';
import { RECORDING_VERSION, type RecordingHeader, type RecordingLine } from './recording.ts';

/** Writes one recording. */
export interface Recorder {
  readonly agent: AgentProvider;
  readonly mask: SecretMask;
  /** False until the header is written, which needs the agent's version. */
  readonly isOpen: boolean;
  /** Creates the file, and overwrites an existing one. */
  open(agentVersion: string | undefined): Promise<void>;
  write(line: RecordingLine): void;
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
  mask: SecretMask,
  { maxBytes, onFull }: RecorderBounds,
): Recorder {
  let bytesLeft = maxBytes;
  let isFull = false;
  let file: FileHandle | undefined;
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
    mask,
    get isOpen() {
      return file !== undefined;
    },
    async open(agentVersion) {
      file = await createFile(path);
      writeLine({
        truecastRecording: RECORDING_VERSION,
        agent: agent.name,
        ...(agentVersion !== undefined && { agentVersion: mask.mask(agentVersion) }),
        ...(agent.model !== undefined && { model: agent.model }),
        isPlainText: agent.isPlainText === true,
        recordedAt: new Date().toISOString(),
      });
    },
    write: writeLine,
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
