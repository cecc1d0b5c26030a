/** Recording of one agent turn while it runs. */
import type { SandboxHandle } from '../../ports/sandbox-provider.ts';
import type { AgentProcessResult } from '../turn/run-agent-turn.ts';
import type { WorkingContext } from '../context/run-context.ts';
import { collectWork, takeSnapshot, type WorkSnapshot } from '../record/recorded-work.ts';
import { promptHash, type RecordedEnd } from '../record/recording.ts';

/** Data of a turn that is known before it begins. */
export interface TurnHead {
  readonly prompt: string;
  readonly resumeSession: string | undefined;
  readonly command: string;
}

const VERSION_TIMEOUT_MS = 10_000;

export async function recordTurn(
  context: WorkingContext,
  { prompt, resumeSession, command }: TurnHead,
  take: (onRaw: (chunk: string) => void) => Promise<AgentProcessResult>,
): Promise<AgentProcessResult> {
  const { recorder, observers, workspace, mask } = context;
  const tellRaw = (text: string): void => observers.emit({ type: 'raw', text });
  if (recorder === undefined) return take(tellRaw);
  if (!recorder.isOpen) {
    const version = await askVersion(recorder.agent.program, workspace.handle);
    await recorder.open(version && mask.mask(version));
  }
  const before = await snapshot(context);
  observers.turn({
    type: 'turn',
    prompt,
    promptSha256: promptHash(prompt),
    ...(resumeSession !== undefined && { resumeSession }),
    command,
  });
  const end = (exitCode: number, stderrTail: string, endedBy: RecordedEnd['endedBy']): void =>
    void observers.turn({ type: 'end', exitCode, stderrTail, endedBy });
  try {
    const taken = await take(tellRaw);
    end(taken.exitCode, taken.stderrTail, taken.isCompletedByTimeout ? 'completed' : 'itself');
    return taken;
  } catch (error) {
    end(1, error instanceof Error ? error.message : String(error), 'interrupted');
    throw error;
  } finally {
    await recordWork(context, before);
  }
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
async function recordWork(context: WorkingContext, before: WorkSnapshot | undefined): Promise<void> {
  const after = before === undefined ? undefined : await snapshot(context);
  if (before?.head === after?.head && before?.tree === after?.tree && before !== undefined) return;
  const work = await readWork(context, before, after);
  if (work === undefined || !context.observers.turn({ type: 'work', ...work })) {
    context.warn(
      'The changes of this turn could not be recorded, or contain a secret. A replay repeats only the output of this turn.',
    );
  }
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
