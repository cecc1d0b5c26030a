/**
 * Finalizer server on the host: an MCP server on a socket file. Its single tool accepts the answer
 * of the current turn.
 *
 * agent → stdio → bridge (inside) → socket file → this server (host) → finalizer → the caller's
 * schema and check
 */
import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Server, type CallToolResult } from '@modelcontextprotocol/server';
import type { Finalizer } from '@truecast/core/internal/output/finalizer/finalizer';
import { FINALIZER_NAME, type FinalizerTool } from '@truecast/core/internal/output/finalizer/finalizer-tool';
import { createSocketTransport, type HeldText } from './socket-transport.ts';

export interface FinalizerServerOptions {
  /** Host folder for the socket. */
  readonly folder: string;
  readonly tool: FinalizerTool;
  /** Maximum message length in UTF-16 units. */
  readonly maxLineChars: number;
}

export interface FinalizerServer {
  readonly socketName: string;
  /** True after an agent has listed the tools. */
  readonly wasAsked: boolean;
  /** Sets the finalizer for calls of the next turn. With undefined, calls are not accepted. */
  serve(finalizer: Finalizer | undefined): void;
  close(): Promise<void>;
}

/** Starts a server. The caller closes it. */
export async function startFinalizerServer(options: FinalizerServerOptions): Promise<FinalizerServer> {
  const socketName = `${randomBytes(6).toString('hex')}.sock`;
  const socketPath = join(options.folder, socketName);
  const sockets = new Set<Socket>();
  const held: HeldText = { maxChars: 2 * options.maxLineChars, chars: 0 };
  const state: ServerState = { finalizer: undefined, wasAsked: false, held };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    void answer(socket, options, state);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  // Inside a container the agent can be another user. On the host, the parent folder denies access
  // to others.
  await chmod(socketPath, 0o666);
  return {
    socketName,
    get wasAsked() {
      return state.wasAsked;
    },
    serve(finalizer) {
      state.finalizer = finalizer;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(socketPath, { force: true });
    },
  };
}

/**
 * Connection limit. An agent and its sub-agents have one each, and each can hold one incomplete
 * message.
 */
const MAX_CONNECTIONS = 32;

interface ServerState {
  finalizer: Finalizer | undefined;
  wasAsked: boolean;
  readonly held: HeldText;
}

/** Agents that require approval for changes can run this tool without it. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

async function answer(
  socket: Socket,
  { tool, maxLineChars }: FinalizerServerOptions,
  state: ServerState,
): Promise<void> {
  const transport = createSocketTransport(socket, maxLineChars, state.held);
  const server = new Server({ name: 'truecast', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler('tools/list', () => {
    state.wasAsked = true;
    const inputSchema = { ...tool.inputSchema, type: 'object' as const };
    return { tools: [{ ...tool, inputSchema, annotations: ANNOTATIONS }] };
  });
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    if (params.name !== FINALIZER_NAME) {
      return failure(`There is no tool \`${params.name}\` here. Call \`${FINALIZER_NAME}\`.`);
    }
    return submit(state.finalizer, transport.takeArguments(mcpReq.id) ?? '{}');
  });
  await server.connect(transport);
}

async function submit(finalizer: Finalizer | undefined, argumentsText: string): Promise<CallToolResult> {
  if (finalizer === undefined) return failure('No answer is expected now. End your turn.');
  try {
    const { type, text } = await finalizer.submit(argumentsText);
    return type === 'accepted' ? { content: [{ type: 'text', text }] } : failure(text);
  } catch {
    // Only an abort rejects here, and it then ends the agent.
    return failure('The run is ending, so no answer is accepted.');
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
