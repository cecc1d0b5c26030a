/** MCP server of one run: the command that connects the agent to it, its host tools and its turns. */
import { maxBytesOf } from '@truecast/core/internal/output/definition/assert-output-options';
import type { AnyOutputDefinition } from '@truecast/core/internal/output/definition/definition';
import { finalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import type { McpServerCommand } from '../../ports/agent-provider.ts';
import type { SandboxProvider } from '../../ports/sandbox-provider.ts';
import type { FinalizerFolder } from './finalizer-folder.ts';
import type { FinalizerServer } from './finalizer-server.ts';
import { createHostTools, MAX_ARGUMENT_CHARS, type HostToolsOptions } from './host-tools.ts';

export interface RunServerOptions {
  readonly folder: FinalizerFolder;
  readonly sandboxTag: SandboxProvider['tag'];
  /** Definition of an answer that is submitted with the tool. Undefined for other answers. */
  readonly output: AnyOutputDefinition | undefined;
  /** Undefined for a run without tools. */
  readonly hostTools: HostToolsOptions | undefined;
}

/** A running server. */
export interface RunServer extends Pick<FinalizerServer, 'wasAsked' | 'serve' | 'close'> {
  readonly command: McpServerCommand;
  /** True while the agent waits for the result of a host tool. */
  readonly isBusy: boolean;
  /** Runs host tools until the returned function is called. */
  beginTurn(): () => void;
}

/** Space of a message beside the arguments of a call. */
const MESSAGE_CHARS = 64 * 1024;
/** A program can write each character as a six-character escape. */
const ESCAPE_CHARS = 6;

/** Starts the server of a run. The caller closes it. */
export async function startRunServer(options: RunServerOptions): Promise<RunServer> {
  const { folder, sandboxTag, output } = options;
  const hostTools = options.hostTools && createHostTools(options.hostTools);
  const argumentChars = Math.max(
    output === undefined ? 0 : maxBytesOf(output),
    hostTools === undefined ? 0 : MAX_ARGUMENT_CHARS,
  );
  // Lazy import: the MCP library takes longer to load than everything else.
  const { startFinalizerServer } = await import('./finalizer-server.ts');
  const server = await startFinalizerServer({
    folder: folder.hostPath,
    tool: output && finalizerTool(output),
    hostTools,
    maxLineChars: argumentChars * ESCAPE_CHARS + MESSAGE_CHARS,
  });
  return {
    command: folder.command(server, sandboxTag),
    get wasAsked() {
      return server.wasAsked;
    },
    get isBusy() {
      return hostTools?.isBusy === true;
    },
    serve: (finalizer) => server.serve(finalizer),
    beginTurn: () => hostTools?.beginTurn() ?? (() => undefined),
    close: () => server.close(),
  };
}
