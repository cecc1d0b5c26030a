/**
 * Bridge program: speaks the Agent Client Protocol with an agent inside a sandbox, and prints its
 * events line by line.
 *
 * initialize → (authenticate) → session/new, /resume, /load or /fork → model, mode → tools are listed → session/prompt → end
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type ClientContext,
  type PermissionOption,
  type RequestPermissionResponse,
} from '@agentclientprotocol/sdk/unstable';
import { startAgent } from './agent-process.ts';
import { LISTING_MS, watchTools } from './await-listing.ts';
import { bridgeError, type BridgeLine, type BridgeRequest } from './bridge-request.ts';
import { openSession, type OpenedSession } from './open-session.ts';
import { withServerArgs } from './server-args.ts';
import { createUpdateReader } from './session-update.ts';

/** Time limit for an agent's process to exit after its output ends. */
const END_WAIT_MS = 1_000;

const LATE = `The agent did not list the tools of the run within ${LISTING_MS / 1_000} s, so its turn can begin without them.`;

/**
 * Runs one prompt and prints its events. The exit code is 0 if the agent answered, valid or not.
 */
export async function runBridge(request: BridgeRequest): Promise<void> {
  const isAnswered = await bridgePrompt(
    request,
    (line) => void process.stdout.write(`${JSON.stringify(line)}\n`),
  );
  if (!isAnswered) process.exitCode = 1;
}

/** Runs one prompt, reports its events, and ends the agent. Returns true if the agent answered. */
export async function bridgePrompt(request: BridgeRequest, tell: Tell): Promise<boolean> {
  const tools = watchTools(request.mcpServers);
  await tools.ready;
  const openingSince = performance.now();
  const agent = startAgent(withServerArgs(request.command, request.serverArgsOf, tools.servers));
  // Loading a session repeats its earlier updates, which do not belong to this prompt.
  const state = { isAsked: false };
  const updates = createUpdateReader();
  const connection = client({ name: 'truecast' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      updates.readCall(params.toolCall).forEach(tell);
      return choosePermission(params.options, request.grantsPermissions);
    })
    .onNotification(methods.client.session.update, ({ params }) => {
      if (state.isAsked) updates.read(params.update).forEach(tell);
    })
    .connect(ndJsonStream(agent.input, agent.output));
  const cancel = cancelOnSignal(connection.agent);
  try {
    const session = await begin(connection.agent, { ...request, mcpServers: tools.servers }, tell);
    cancel.sessionId = session.sessionId;
    tell({ type: 'session', ...session });
    const openedMs = performance.now() - openingSince;
    const outcome = await tools.untilListed({ openedMs, ended: whenAborted(connection.signal) });
    if (outcome === 'late') tell({ type: 'warning', message: LATE });
    state.isAsked = true;
    await prompt(connection.agent, request, session, tell);
    return true;
  } catch (error) {
    // For a closed connection, report the exit of the process.
    const how = connection.signal.aborted ? await soon(agent.ended) : undefined;
    tell(
      how === undefined
        ? describe(error)
        : { type: 'error', message: `The agent's process exited before it answered: ${how}.` },
    );
    return false;
  } finally {
    tools.close();
    cancel.stop();
    connection.close();
    await agent.end();
  }
}

async function soon(ended: Promise<string>): Promise<string | undefined> {
  return Promise.race([ended, delay(END_WAIT_MS, undefined)]);
}

type Tell = (line: BridgeLine) => void;

async function begin(agent: ClientContext, request: BridgeRequest, tell: Tell): Promise<OpenedSession> {
  const { agentCapabilities, authMethods, protocolVersion } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
  });
  if (protocolVersion !== PROTOCOL_VERSION) {
    throw bridgeError(
      `Expected version ${PROTOCOL_VERSION} of the Agent Client Protocol, got ${protocolVersion}. Use another version of the agent.`,
    );
  }
  if (request.authMethod !== undefined) {
    await agent.request(methods.agent.authenticate, { methodId: request.authMethod });
  }
  return openSession(agent, request, {
    capabilities: agentCapabilities ?? {},
    authMethods: (authMethods ?? []).map(({ id }) => id),
    warn: (message) => tell({ type: 'warning', message }),
  });
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

async function prompt(
  agent: ClientContext,
  request: BridgeRequest,
  { sessionId }: OpenedSession,
  tell: Tell,
): Promise<void> {
  const { stopReason, usage } = await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: 'text', text: request.prompt }],
  });
  if (usage !== undefined && usage !== null) tell({ type: 'usage', usage });
  tell({ type: 'end', stopReason });
}

interface CancelOnSignal {
  sessionId: string | undefined;
  stop(): void;
}

/**
 * Cancels the prompt on a signal, so that the agent can save its state. The bridge exits in any
 * case.
 */
function cancelOnSignal(agent: ClientContext): CancelOnSignal {
  const onSignal = (): void => {
    const { sessionId } = cancel;
    if (sessionId === undefined) process.exit(143);
    void agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => undefined);
    setTimeout(() => process.exit(143), 1_000).unref();
  };
  process.once('SIGTERM', onSignal);
  process.once('SIGINT', onSignal);
  const cancel: CancelOnSignal = {
    sessionId: undefined,
    stop() {
      process.removeListener('SIGTERM', onSignal);
      process.removeListener('SIGINT', onSignal);
    },
  };
  return cancel;
}

function describe(error: unknown): BridgeLine {
  const message = error instanceof Error ? error.message : String(error);
  const data = error instanceof Error && 'data' in error ? error.data : undefined;
  const detail =
    data === undefined || data === null ? '' : ` ${typeof data === 'string' ? data : JSON.stringify(data)}`;
  const status = /(?:status|code|http)\D{0,12}([45]\d\d)\b/iu.exec(`${message}${detail}`)?.[1];
  return {
    type: 'error',
    message: `${message}${detail}`,
    ...(status !== undefined && { statusCode: Number(status) }),
  };
}

/** In order of preference. One-time grants are not stored. */
const GRANTS = ['allow_once', 'allow_always'] as const;
const REFUSALS = ['reject_once', 'reject_always'] as const;

/**
 * Selects the option that grants or denies the request. Without such an option, the request is
 * cancelled.
 */
function choosePermission(
  options: readonly PermissionOption[],
  isGranted: boolean,
): RequestPermissionResponse {
  const wanted: readonly string[] = isGranted ? GRANTS : REFUSALS;
  const chosen = wanted.map((kind) => options.find((option) => option.kind === kind)).find(Boolean);
  return {
    outcome:
      chosen === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId: chosen.optionId },
  };
}
