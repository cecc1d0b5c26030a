/**
 * Probe of a container engine: starts a container to check whether the engine works on this host
 * with a given image.
 */
import { SandboxError } from '@truecast/core/internal/errors/sandbox-error';
import { callEngine, asSentence, firstLine, type EngineName } from './container-engine.ts';
import { inspectImage } from './container-image.ts';

/** Result of a probe: success, or the reason and advice. */
export type EngineProbe =
  | { readonly works: true; readonly version: string }
  | {
      readonly works: false;
      readonly reason: string;
      /** The engine's, where it answers. */ readonly version?: string;
    };

const PROBE_TIMEOUT_MS = 20_000;

/**
 * Starts an idle container of the image without a network, and returns the reason if that fails.
 * Never throws.
 */
export async function probeEngine(engine: EngineName, imageName: string): Promise<EngineProbe> {
  const call = { timeoutMs: PROBE_TIMEOUT_MS };
  let version: string | undefined;
  try {
    // Not `info`: that of Podman asks the package manager three times, which takes five times as long.
    const asked = await callEngine(engine, ['version', '--format', '{{.Server.Version}}'], call);
    if (asked.exitCode !== 0) {
      return { works: false, reason: `\`${engine} version\` failed: ${asSentence(firstLine(asked.stderr))}` };
    }
    version = asked.stdout.trim();
    await inspectImage(engine, imageName, call);
    const trial = [
      'run',
      '--rm',
      '--pull=never',
      '--network',
      'none',
      '--entrypoint',
      '',
      imageName,
      '/bin/sh',
      '-c',
      ':',
    ];
    const run = await callEngine(engine, trial, call);
    if (run.exitCode === 0) return { works: true, version };
    return {
      works: false,
      version,
      reason: `\`${engine} run\` failed: ${asSentence(firstLine(run.stderr))}`,
    };
  } catch (error) {
    const reason = SandboxError.isInstance(error) ? error.message : String(error);
    return { works: false, reason, ...(version !== undefined && { version }) };
  }
}
