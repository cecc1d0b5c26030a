/**
 * Image file of a container sandbox: the agent's CLI at a fixed version, and a user with the
 * caller's ids.
 */
import type { NpmAgentEntry } from '../../agents/registry/agents.ts';

/** Returns the content of a Dockerfile or Containerfile. */
export function imageFileText({ npm }: NpmAgentEntry): string {
  return `FROM node:24-bookworm

RUN apt-get update \\
  && apt-get install --yes --no-install-recommends ca-certificates curl git jq ripgrep \\
  && rm -rf /var/lib/apt/lists/*

# A fixed version: agents change what they print, and this one is tested with Truecast.
ARG AGENT_VERSION=${npm.version}
RUN npm install --global ${npm.name}@\${AGENT_VERSION}

# \`build-image\` passes your user and group id, so you own the files that the agent writes.
ARG AGENT_UID=1000
ARG AGENT_GID=1000
RUN userdel --remove node \\
  && groupadd --non-unique --gid \${AGENT_GID} agent \\
  && useradd --non-unique --uid \${AGENT_UID} --gid \${AGENT_GID} --home-dir /home/agent --create-home agent
USER \${AGENT_UID}:\${AGENT_GID}
ENV HOME=/home/agent

# Add what your project needs to be built and tested.
`;
}
