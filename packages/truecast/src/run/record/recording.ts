/**
 * Recording format: JSON lines with a header, followed by the turns of an agent in order.
 *
 * header → (turn → stdout* → end → work?)*
 */
import { createHash } from 'node:crypto';
import { jsonValueOf } from '@truecast/core/internal/kit/json-value-of';
import { z } from 'zod';
import { readChosenFileSync } from '../../support/open-chosen-file.ts';
import { describeValue } from '@truecast/core/internal/kit/describe-value';
import { UsageError } from '@truecast/core/internal/errors/usage-error';

/** The longest string that Node can create. */
const MAX_RECORDING_BYTES = 512 * 1024 * 1024;

/** Increased if an older reader cannot play the new format. */
export const RECORDING_VERSION = 1;

export interface RecordingHeader {
  readonly truecastRecording: typeof RECORDING_VERSION;
  /** Name of the agent provider, which determines the parser. */
  readonly agent: string;
  readonly agentVersion?: string | undefined;
  readonly model?: string | undefined;
  /** True if all of stdout is agent text. */
  readonly isPlainText: boolean;
  /** ISO 8601. */
  readonly recordedAt: string;
}

/** A stdout chunk with its original boundaries. */
export interface RecordedChunk {
  /** Milliseconds since the turn began. */
  readonly atMs: number;
  readonly text: string;
}

export interface RecordedEnd {
  readonly atMs: number;
  readonly exitCode: number;
  readonly stderrTail: string;
  /**
   * `completed`: the process hung after its completion signal. `interrupted`: it was stopped before
   * it finished.
   */
  readonly endedBy: 'itself' | 'completed' | 'interrupted';
}

export interface RecordedCommit {
  readonly authorName: string;
  readonly authorEmail: string;
  /** ISO 8601 with the author's UTC offset. */
  readonly authorDate: string;
  readonly message: string;
  /** A binary git diff against the previous commit, in base64. */
  readonly patch: string;
}

/** Changes of a turn in the worktree and on its branch. */
export interface RecordedWork {
  /** A binary git diff of the worktree for the whole turn, in base64. */
  readonly files: string;
  readonly commits: readonly RecordedCommit[];
}

/** Input of a turn. */
export interface RecordedPrompt {
  /** For human readers. Secrets are masked. */
  readonly prompt: string;
  /** Hash of the unmasked prompt. */
  readonly promptSha256: string;
  readonly resumeSession?: string | undefined;
  /** Secrets are masked. */
  readonly command: string;
}

/** A line after the header. */
export type RecordingLine =
  | (RecordedPrompt & { readonly type: 'turn' })
  | (RecordedChunk & { readonly type: 'stdout' })
  | (RecordedEnd & { readonly type: 'end' })
  | (RecordedWork & { readonly type: 'work' });

/** A part of a turn besides its stdout. The recorder adds the time. */
export type TurnLine =
  | (RecordedPrompt & { readonly type: 'turn' })
  | (Omit<RecordedEnd, 'atMs'> & { readonly type: 'end' })
  | (RecordedWork & { readonly type: 'work' });

const HEADER: z.ZodType<RecordingHeader> = z.object({
  truecastRecording: z.literal(RECORDING_VERSION),
  agent: z.string(),
  agentVersion: z.string().optional(),
  model: z.string().optional(),
  isPlainText: z.boolean(),
  recordedAt: z.string(),
});

const COMMIT = z.object({
  authorName: z.string(),
  authorEmail: z.string(),
  authorDate: z.string(),
  message: z.string(),
  patch: z.base64(),
});

const LINE: z.ZodType<RecordingLine> = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('turn'),
    prompt: z.string(),
    promptSha256: z.string(),
    resumeSession: z.string().optional(),
    command: z.string(),
  }),
  z.object({ type: z.literal('stdout'), atMs: z.number().nonnegative(), text: z.string() }),
  z.object({
    type: z.literal('end'),
    atMs: z.number().nonnegative(),
    exitCode: z.number().int(),
    stderrTail: z.string(),
    endedBy: z.enum(['itself', 'completed', 'interrupted']),
  }),
  z.object({ type: z.literal('work'), files: z.base64(), commits: z.array(COMMIT) }),
]);

/** One recorded process of the agent. */
export interface RecordedTurn {
  readonly prompt: string;
  readonly promptSha256: string;
  readonly stdout: readonly RecordedChunk[];
  /** Undefined if the recording is truncated. */
  readonly end: RecordedEnd | undefined;
  readonly work: RecordedWork | undefined;
}

export interface Recording {
  readonly header: RecordingHeader;
  readonly turns: readonly RecordedTurn[];
}

/** Returns a hash to compare prompts, because the recorded prompt is masked. */
export function promptHash(prompt: string): string {
  return createHash('sha256').update(prompt).digest('hex');
}

/**
 * Reads a recording.
 *
 * @throws UsageError if the file cannot be read, is not a recording, or has another version
 */
export function readRecording(path: string): Recording {
  const [first = '', ...rest] = readText(path).split('\n');
  const header = parseHeader(path, first);
  const turns: TurnBeingRead[] = [];
  for (const [index, text] of rest.entries()) {
    if (text === '') continue;
    // A killed process can leave a truncated last line.
    const line = parseLine(text);
    if (line === undefined && index >= rest.length - 2) break;
    if (line === undefined || (line.type !== 'turn' && turns.length === 0)) {
      throw notARecording(path, `line ${index + 2} is invalid`);
    }
    addLine(turns, line);
  }
  return { header, turns };
}

interface TurnBeingRead extends RecordedTurn {
  readonly stdout: RecordedChunk[];
  end: RecordedTurn['end'];
  work: RecordedTurn['work'];
}

function addLine(turns: TurnBeingRead[], line: RecordingLine): void {
  const turn = turns.at(-1);
  if (line.type === 'turn') {
    const { prompt, promptSha256 } = line;
    turns.push({ prompt, promptSha256, stdout: [], end: undefined, work: undefined });
  } else if (line.type === 'stdout') turn?.stdout.push(line);
  else if (turn !== undefined) {
    if (line.type === 'end') turn.end = line;
    else turn.work = line;
  }
}

function readText(path: string): string {
  try {
    return readChosenFileSync(path, MAX_RECORDING_BYTES);
  } catch (cause) {
    throw new UsageError(
      `Expected \`${path}\` to be a readable recording. Check the path, or create one with \`truecast run --record FILE\`.`,
      { cause },
    );
  }
}

function parseHeader(path: string, line: string): RecordingHeader {
  const value = jsonValueOf(line);
  const header = HEADER.safeParse(value);
  if (header.success) return header.data;
  const version = z.object({ truecastRecording: z.unknown() }).safeParse(value);
  if (!version.success) throw notARecording(path, 'its first line is not a recording header');
  throw notARecording(
    path,
    `expected version ${RECORDING_VERSION}, got ${describeValue(version.data.truecastRecording)}`,
  );
}

function parseLine(text: string): RecordingLine | undefined {
  return LINE.safeParse(jsonValueOf(text)).data;
}

function notARecording(path: string, reason: string): UsageError {
  return new UsageError(`The file \`${path}\` is not a valid recording: ${reason}. Record the run again.`);
}
