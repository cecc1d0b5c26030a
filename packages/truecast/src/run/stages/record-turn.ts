/** Recording of one agent turn while it runs. */
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import type { AgentProcessResult } from './run-agent-turn.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { collectWork, takeSnapshot, type WorkSnapshot } from '../record/recorded-work.ts';
import type { Recorder } from '../record/recorder.ts';
import { promptHash, type RecordedWork } from '../record/recording.ts';

/** Data of a turn that is known before it begins. */
export interface TurnHead {
  readonly prompt: string;
  readonly resumeSession: string | undefined;
  readonly command: string;
}

const VERSION_TIMEOUT_MS = 10_000;

/** Runs a turn, and records it if the run is recorded. */
export async function recordTurn(
  context: WorkingContext,
  head: TurnHead,
  take: (onRaw: (chunk: string) => void) => Promise<AgentProcessResult>,
): Promise<AgentProcessResult> {
  const { recorder, workspace } = context;
  const tellRaw = (text: string): void => context.emit({ type: 'raw', text });
  if (recorder === undefined) return take(tellRaw);
  if (!recorder.isOpen) await recorder.open(await askVersion(recorder.agent.program, workspace.handle));
  const before = await snapshot(context);
  const turn = beginTurn(recorder, head);
  try {
    const taken = await take((chunk) => {
      turn.stdout(chunk);
      tellRaw(chunk);
    });
    turn.end(taken);
    return taken;
  } catch (error) {
    turn.interrupted(error);
    throw error;
  } finally {
    await recordWork(context, recorder, before);
  }
}

interface TurnRecorder {
  stdout(chunk: string): void;
  end(turn: AgentProcessResult): void;
  interrupted(error: unknown): void;
}

function beginTurn({ mask, write }: Recorder, { prompt, resumeSession, command }: TurnHead): TurnRecorder {
  const startedAtMs = performance.now();
  const masked = mask.stream();
  const atMs = (): number => Math.round((performance.now() - startedAtMs) * 10) / 10;
  const writeText = (text: string): void => {
    if (text !== '') write({ type: 'stdout', atMs: atMs(), text });
  };
  const writeEnd = (
    exitCode: number,
    stderr: string,
    endedBy: 'itself' | 'completed' | 'interrupted',
  ): void => {
    writeText(masked.end());
    write({ type: 'end', atMs: atMs(), exitCode, stderrTail: mask.mask(stderr), endedBy });
  };
  write({
    type: 'turn',
    prompt: mask.mask(prompt),
    promptSha256: promptHash(prompt),
    ...(resumeSession !== undefined && { resumeSession }),
    command: mask.mask(command),
  });
  return {
    stdout: (chunk) => writeText(masked.push(chunk)),
    end: ({ exitCode, stderrTail, isCompletedByTimeout }) =>
      writeEnd(exitCode, stderrTail, isCompletedByTimeout ? 'completed' : 'itself'),
    interrupted: (error) =>
      writeEnd(1, error instanceof Error ? error.message : String(error), 'interrupted'),
  };
}

async function askVersion(program: string | undefined, handle: SandboxHandle): Promise<string | undefined> {
  if (program === undefined) return undefined;
  try {
    const { stdout, exitCode } = await handle.exec(`'${program.replaceAll("'", '')}' --version`, {
      signal: AbortSignal.timeout(VERSION_TIMEOUT_MS),
    });
    return exitCode === 0 ? stdout.trim().split('\n')[0] : undefined;
  } catch {
    return undefined;
  }
}

async function snapshot({ workspace }: WorkingContext): Promise<WorkSnapshot | undefined> {
  try {
    return await takeSnapshot((command, options) => workspace.handle.exec(command, options));
  } catch {
    return undefined;
  }
}

/** The output is recorded in any case. A failure to record the work is only reported. */
async function recordWork(
  context: WorkingContext,
  recorder: Recorder,
  before: WorkSnapshot | undefined,
): Promise<void> {
  const after = before === undefined ? undefined : await snapshot(context);
  if (before?.head === after?.head && before?.tree === after?.tree && before !== undefined) return;
  const work = await readWork(context, before, after);
  if (work !== undefined && !holdsSecret(recorder, work)) recorder.write({ type: 'work', ...work });
  else
    context.warn(
      'The changes of this turn could not be recorded, or contain a secret. A replay repeats only the output of this turn.',
    );
}

/** A masked patch would not apply. */
function holdsSecret({ mask }: Recorder, { files, commits }: RecordedWork): boolean {
  const patches = [files, ...commits.map(({ patch }) => patch)];
  const texts = patches.map((patch) => Buffer.from(patch, 'base64').toString());
  return [...texts, ...commits.map(({ message }) => message)].some((text) => mask.mask(text) !== text);
}

async function readWork(
  { workspace }: WorkingContext,
  before: WorkSnapshot | undefined,
  after: WorkSnapshot | undefined,
): ReturnType<typeof collectWork> {
  if (before === undefined || after === undefined) return undefined;
  try {
    return await collectWork((command, options) => workspace.handle.exec(command, options), before, after);
  } catch {
    return undefined;
  }
}
