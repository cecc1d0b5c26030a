/**
 * Session setup of the bridge: new, resumed, loaded or forked, depending on the agent's
 * capabilities.
 */
import {
  methods,
  RequestError,
  type AgentCapabilities,
  type ClientContext,
  type NewSessionResponse,
  type SessionConfigOption,
} from '@agentclientprotocol/sdk/unstable';
import { bridgeError, type BridgeRequest } from './bridge-request.ts';
import { findMode, offeredModes, openMode, type OfferedModes } from './choose-mode.ts';
import type { ClosedMode } from '../../ports/agent-provider.ts';

/** Capabilities and login methods that the agent reported. */
export interface AgentSaid {
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly string[];
  warn(message: string): void;
}

/** A session that is ready for its prompt. */
export interface OpenedSession {
  readonly sessionId: string;
  readonly closedMode?: ClosedMode;
}

const AUTH_REQUIRED = -32_000;

/** Opens the session, and sets its model and mode. */
export async function openSession(
  agent: ClientContext,
  request: BridgeRequest,
  said: AgentSaid,
): Promise<OpenedSession> {
  try {
    const opened = await openLoggedIn(agent, request, said);
    const { sessionId, configOptions } = opened;
    if (request.model !== undefined) await setModel(agent, sessionId, request.model, configOptions ?? []);
    const closedMode = await setMode(agent, { sessionId, offered: offeredModes(opened) }, request, said.warn);
    return { sessionId, ...(closedMode !== undefined && { closedMode }) };
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED) throw error;
    const offered = said.authMethods.map((id) => `\`${id}\``).join(', ');
    throw bridgeError(
      `The agent requires a login (${error.message}). Set \`authMethod\` to one of ${offered === '' ? 'its methods (it lists none)' : offered}, and its variables in \`env\`.`,
      error,
    );
  }
}

async function openLoggedIn(agent: ClientContext, request: BridgeRequest, said: AgentSaid): Promise<Opened> {
  const methodId = request.fallbackAuthMethod;
  try {
    return await open(agent, request, said);
  } catch (error) {
    const isLogin = error instanceof RequestError && error.code === AUTH_REQUIRED;
    if (!isLogin || methodId === undefined || !said.authMethods.includes(methodId)) throw error;
    await agent.request(methods.agent.authenticate, { methodId });
    return open(agent, request, said);
  }
}

type Opened = Pick<NewSessionResponse, 'sessionId' | 'configOptions' | 'modes'>;

async function open(
  agent: ClientContext,
  { resumeSession: sessionId, forksSession, mcpServers: servers, sessionMeta }: BridgeRequest,
  { capabilities }: AgentSaid,
): Promise<Opened> {
  const cwd = process.cwd();
  const mcpServers = servers.map(({ name, command, args }) => ({ name, command, args: [...args], env: [] }));
  const asked = { cwd, mcpServers, ...(sessionMeta !== undefined && { _meta: { ...sessionMeta } }) };
  if (sessionId === undefined) return agent.request(methods.agent.session.new, asked);
  const { fork, resume } = capabilities.sessionCapabilities ?? {};
  const params = { ...asked, sessionId };
  if (forksSession) {
    if (fork === undefined || fork === null) {
      throw bridgeError('The agent cannot fork a session. Resume it instead.');
    }
    return agent.request(methods.agent.session.fork, params);
  }
  if (resume !== undefined && resume !== null) {
    return { ...(await agent.request(methods.agent.session.resume, params)), sessionId };
  }
  if (capabilities.loadSession !== true) {
    throw bridgeError("The agent cannot resume a session. Set `retry: 'fresh'`.");
  }
  return { ...(await agent.request(methods.agent.session.load, params)), sessionId };
}

async function setModel(
  agent: ClientContext,
  sessionId: string,
  model: string,
  options: readonly SessionConfigOption[],
): Promise<void> {
  const option = options.find(({ category, id }) => category === 'model' || id === 'model');
  if (option !== undefined) {
    await agent.request(methods.agent.session.setConfigOption, {
      sessionId,
      configId: option.id,
      value: model,
    });
    return;
  }
  // Agents with an early version of the protocol support this method.
  await agent.request('session/set_model', { sessionId, modelId: model });
}

interface ModedSession {
  readonly sessionId: string;
  readonly offered: OfferedModes | undefined;
}

/** Sets the mode. Returns it if the agent offers a more open one. */
async function setMode(
  agent: ClientContext,
  { sessionId, offered }: ModedSession,
  { mode, opensMode }: BridgeRequest,
  warn: (message: string) => void,
): Promise<ClosedMode | undefined> {
  const wanted = mode === undefined ? undefined : offered && findMode(offered, mode);
  if (mode !== undefined && wanted === undefined) {
    const ids = offered?.ids.map((id) => `\`${id}\``).join(', ') ?? '';
    throw bridgeError(
      `The agent does not offer the mode \`${mode}\`. ${ids === '' ? 'It has no modes: leave `mode` out.' : `Set \`mode\` to one of ${ids}.`}`,
    );
  }
  if (offered === undefined) return undefined;
  const openId = openMode(offered);
  const next = wanted ?? (opensMode ? openId : undefined) ?? offered.current;
  const isSet =
    next === offered.current || (await askForMode(agent, { sessionId, offered }, next, { wanted, warn }));
  const id = isSet ? next : offered.current;
  return openId === undefined || id === openId ? undefined : { id, openId };
}

interface ModeReasons {
  /** The mode that the caller named. Its refusal is an error. */
  readonly wanted: string | undefined;
  warn(message: string): void;
}

async function askForMode(
  agent: ClientContext,
  { sessionId, offered }: ModedSession,
  mode: string,
  { wanted, warn }: ModeReasons,
): Promise<boolean> {
  const configId = offered?.configId;
  try {
    await (configId === undefined
      ? agent.request(methods.agent.session.setMode, { sessionId, modeId: mode })
      : agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value: mode }));
    return true;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const refusal = `The agent refused its mode \`${mode}\` (${error.message}).`;
    if (wanted !== undefined) throw bridgeError(`${refusal} Set another \`mode\`.`, error);
    warn(`${refusal} It works in \`${offered?.current ?? ''}\`.`);
    return false;
  }
}
