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
import { bridgeError } from './bridge-error.ts';
import type { BridgeRequest } from './bridge-request.ts';

/** Capabilities and login methods that the agent reported. */
export interface AgentSaid {
  readonly capabilities: AgentCapabilities;
  readonly authMethods: readonly string[];
}

const AUTH_REQUIRED = -32_000;

/** Opens the session and sets its model if requested. Returns its id. */
export async function openSession(
  agent: ClientContext,
  request: BridgeRequest,
  said: AgentSaid,
): Promise<string> {
  try {
    const { sessionId, configOptions } = await open(agent, request, said);
    if (request.model !== undefined) await setModel(agent, sessionId, request.model, configOptions ?? []);
    return sessionId;
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== AUTH_REQUIRED) throw error;
    const offered = said.authMethods.map((id) => `\`${id}\``).join(', ');
    throw bridgeError(
      `The agent requires a login (${error.message}). Set \`authMethod\` to one of ${offered === '' ? 'its methods (it lists none)' : offered}, and its variables in \`env\`.`,
      error,
    );
  }
}

type Opened = Pick<NewSessionResponse, 'sessionId' | 'configOptions'>;

async function open(
  agent: ClientContext,
  { resumeSession: sessionId, forksSession, mcpServers: servers }: BridgeRequest,
  { capabilities }: AgentSaid,
): Promise<Opened> {
  const cwd = process.cwd();
  const mcpServers = servers.map(({ name, command, args }) => ({ name, command, args: [...args], env: [] }));
  if (sessionId === undefined) return agent.request(methods.agent.session.new, { cwd, mcpServers });
  const { fork, resume } = capabilities.sessionCapabilities ?? {};
  const params = { sessionId, cwd, mcpServers };
  if (forksSession) {
    if (fork === undefined || fork === null)
      throw bridgeError('The agent cannot fork a session. Resume it instead.');
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
