/** Owns writing a recording, line by line, so that what was recorded until a crash can be played. */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { UsageError } from '../../errors/usage-error.ts';
import type { AgentProvider } from '../agents/agent-provider.ts';
import { createSecretMask, secretValues, type SecretMask } from '../logging/mask-secrets.ts';
import type { RunEnvironment } from '../run-environment.ts';
import { RECORDING_VERSION, type RecordingHeader, type RecordingLine } from './recording.ts';

/** Writes one recording. */
export interface Recorder {
  readonly agent: AgentProvider;
  readonly mask: SecretMask;
  /** False until the header is written, which asks for the agent's version. */
  readonly isOpen: boolean;
  /** Makes the file, over what was there. */
  open(agentVersion: string | undefined): void;
  write(line: RecordingLine): void;
  close(): void;
}

/** Makes a recorder; its file is made when the first turn begins. */
export function createRecorder(
  path: string,
  agent: AgentProvider,
  environment: Pick<RunEnvironment, 'host'>,
): Recorder {
  let file: number | undefined;
  const writeLine = (value: RecordingHeader | RecordingLine): void => {
    if (file !== undefined) writeSync(file, `${JSON.stringify(value)}\n`);
  };
  return {
    agent,
    mask: createSecretMask(secretValues({ ...environment.host })),
    get isOpen() {
      return file !== undefined;
    },
    open(agentVersion) {
      file = createFile(resolve(path));
      writeLine({
        truecastRecording: RECORDING_VERSION,
        agent: agent.name,
        ...(agentVersion !== undefined && { agentVersion }),
        ...(agent.model !== undefined && { model: agent.model }),
        isPlainText: agent.isPlainText === true,
        recordedAt: new Date().toISOString(),
      });
    },
    write: writeLine,
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}

function createFile(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    // Prompts and files of a repository are nobody else's to read.
    return openSync(path, 'w', 0o600);
  } catch (cause) {
    throw new UsageError(
      `The recording \`${path}\` cannot be written: ${cause instanceof Error ? cause.message : String(cause)}. Name another file with \`record\`.`,
      { cause },
    );
  }
}
