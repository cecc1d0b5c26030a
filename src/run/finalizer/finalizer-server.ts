/**
 * Owns the host's end of the finalizer: an MCP server on a socket file, whose one tool takes the answer of the turn under way.
 *
 * agent → stdio → bridge (inside) → socket file → this server (host) → finalizer → the caller's schema and check
 */
import { randomBytes } from 'node:crypto';
import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
} from '@modelcontextprotocol/sdk/types.js';
import type { Finalizer } from '../../output/finalizer/finalizer.ts';
import { FINALIZER_NAME, type FinalizerTool } from '../../output/finalizer/finalizer-tool.ts';
import { createSocketTransport } from './socket-transport.ts';

/** What the server is started with. */
export interface FinalizerServerOptions {
  /** Folder on the host for the socket. */
  readonly folder: string;
  readonly tool: FinalizerTool;
  /** Longest message, in UTF-16 units. */
  readonly maxLineChars: number;
}

/** A running server. */
export interface FinalizerServer {
  /** Name of the socket in its folder. */
  readonly socketName: string;
  /** True once an agent has asked which tools there are. */
  readonly wasAsked: boolean;
  /** Hands calls to the finalizer of the turn that begins, or to none. */
  serve(finalizer: Finalizer | undefined): void;
  close(): Promise<void>;
}

/** Starts a server; the caller closes it. */
export async function startFinalizerServer(options: FinalizerServerOptions): Promise<FinalizerServer> {
  const socketName = `${randomBytes(6).toString('hex')}.sock`;
  const socketPath = join(options.folder, socketName);
  const sockets = new Set<Socket>();
  const state: ServerState = { finalizer: undefined, wasAsked: false };
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    void answer(socket, options, state);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(socketPath, resolve);
  });
  // Inside a container the agent may be another user; on the host the folder around keeps others out.
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

interface ServerState {
  finalizer: Finalizer | undefined;
  wasAsked: boolean;
}

/** Agents that ask before a tool changes something need not ask before this one. */
const ANNOTATIONS = { readOnlyHint: true, destructiveHint: false, openWorldHint: false };

async function answer(
  socket: Socket,
  { tool, maxLineChars }: FinalizerServerOptions,
  state: ServerState,
): Promise<void> {
  const transport = createSocketTransport(socket, maxLineChars);
  const server = new Server({ name: 'truecast', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => {
    state.wasAsked = true;
    const inputSchema = { ...tool.inputSchema, type: 'object' as const };
    return { tools: [{ ...tool, inputSchema, annotations: ANNOTATIONS }] };
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { requestId }) => {
    if (params.name !== FINALIZER_NAME)
      return failure(`There is no tool \`${params.name}\` here. Call \`${FINALIZER_NAME}\`.`);
    return submit(state.finalizer, transport.takeArguments(requestId) ?? '{}');
  });
  await server.connect(transport);
}

async function submit(finalizer: Finalizer | undefined, argumentsText: string): Promise<CallToolResult> {
  if (finalizer === undefined) return failure('No answer is awaited now. End your turn.');
  try {
    const { type, text } = await finalizer.submit(argumentsText);
    return type === 'accepted' ? { content: [{ type: 'text', text }] } : failure(text);
  } catch {
    // Only an abort gets here, and it ends the agent next.
    return failure('The run is being ended, and no answer is taken.');
  }
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
