/** MCP server around the work of a run, if its agent calls tools of the run. */
import { UsageError } from '@truecast/core/internal/errors/usage-error';
import type { ReadyTools } from '@truecast/model/internal/tools/read-tools';
import type { WorkingContext } from '../context/run-context.ts';
import { startRunServer } from '../finalizer/run-server.ts';

/**
 * Works with the server, and closes it.
 *
 * @throws UsageError `unsupported` if the sandbox cannot reach it
 */
export async function withRunServer<T>(
  context: WorkingContext,
  tools: ReadyTools | undefined,
  work: (context: WorkingContext) => Promise<T>,
): Promise<T> {
  const { options, workspace, signal, mask, emit } = context;
  if (!options.usesServer) return work(context);
  const { finalizerFolder: folder } = workspace;
  if (folder === undefined) {
    throw new UsageError(
      'This sandbox was started without a way for tools of the run to reach it. Remove `tools`, and set `tag` for an answer, or call `run()`.',
      { code: 'unsupported' },
    );
  }
  const server = await startRunServer({
    folder,
    sandboxTag: options.sandbox.tag,
    output: options.mode === 'mcp' ? options.output : undefined,
    hostTools: tools && {
      tools,
      signal,
      mask: (text) => mask.mask(text),
      onCall: (call) => emit({ type: 'host-tool', ...call }),
    },
  });
  try {
    return await work({ ...context, server });
  } finally {
    await server.close();
  }
}
