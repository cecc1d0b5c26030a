/** Git server on this machine: bare repositories over HTTP, by git's own `http-backend`, with a password. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { repositoryTemplate } from '../packages/truecast/src/git/test-template.ts';
import { git, makeRepository, temporaryFolder } from './run/fixture.ts';

/** State of the server. */
export type GitServerMode = 'up' | 'gone' | 'hangs' | { readonly redirectTo: string };

export interface GitServer {
  /** Address of the one repository. */
  readonly url: string;
  /** Folder of the bare repository. */
  readonly path: string;
  /** What requests sent as `authorization`. */
  readonly authorizations: readonly (string | undefined)[];
  /** Requests, such as `POST git-upload-pack`. */
  readonly requests: readonly string[];
  mode: GitServerMode;
  /** Subjects of a branch's commits after the first one. Empty without the branch. */
  subjects(branch: string): readonly string[];
  /** Commits to a branch, as another person would. Returns the commit. */
  commit(branch: string, subject: string): string;
  /** Refuses each push with a message. */
  refuse(message: string): void;
}

const copyBare = repositoryTemplate((path) => {
  git(path, 'clone', '-q', '--bare', makeRepository('work'), path);
  git(path, 'config', 'user.name', 'Person');
  git(path, 'config', 'user.email', 'person@example.invalid');
  git(path, 'config', 'http.receivepack', 'true');
  // Each push would start a process that finds nothing to do.
  git(path, 'config', 'receive.autogc', 'false');
});

/** Starts a server until the end of the test. @param password - without one, all requests are accepted */
export async function startGitServer(password?: string): Promise<GitServer> {
  const root = temporaryFolder();
  const path = join(root, 'team', 'api.git');
  mkdirSync(join(root, 'team'));
  copyBare(path);
  const authorizations: (string | undefined)[] = [];
  const requests: string[] = [];
  const state: { mode: GitServerMode } = { mode: 'up' };
  const wanted = password === undefined ? undefined : basic(password);
  const server = createServer((request, response) => {
    authorizations.push(request.headers.authorization);
    const { mode } = state;
    if (mode === 'hangs') return;
    const refuse = (status: number, headers = {}): void => void response.writeHead(status, headers).end();
    if (mode === 'gone') refuse(404);
    else if (mode !== 'up') refuse(302, { location: `${mode.redirectTo}${request.url}` });
    else if (wanted !== undefined && request.headers.authorization !== wanted) {
      refuse(401, { 'www-authenticate': 'Basic realm="git"' });
    } else {
      requests.push(`${request.method} ${request.url?.split('/').at(-1)}`);
      answer(root, request, response);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/team/api.git`,
    path,
    authorizations,
    requests,
    get mode() {
      return state.mode;
    },
    set mode(mode) {
      state.mode = mode;
    },
    subjects(branch) {
      const listed = git(path, 'for-each-ref', '--format=%(refname)', `refs/heads/${branch}`);
      if (listed === '') return [];
      return git(path, 'log', '--reverse', '--format=%s', branch).split('\n').slice(1);
    },
    commit(branch, subject) {
      // Without a checkout and a push, which start a dozen processes.
      const tip = git(path, 'for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`);
      const start = tip === '' ? git(path, 'rev-parse', 'main') : tip;
      const commit = git(path, 'commit-tree', `${start}^{tree}`, '-p', start, '-m', subject);
      git(path, 'update-ref', `refs/heads/${branch}`, commit, tip);
      return commit;
    },
    refuse(message) {
      const hook = join(path, 'hooks', 'pre-receive');
      mkdirSync(join(path, 'hooks'), { recursive: true });
      writeFileSync(hook, `#!/bin/sh\necho '${message}' >&2\nexit 1\n`);
      chmodSync(hook, 0o755);
    },
  };
}

function basic(password: string): string {
  return `Basic ${Buffer.from(`x-access-token:${password}`).toString('base64')}`;
}

/** Answers with the CGI program that git ships. */
function answer(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '', 'http://127.0.0.1');
  const child = spawn('git', ['http-backend'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'x',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      ...(request.headers['content-encoding'] !== undefined && {
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      }),
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  request.pipe(child.stdin).on('error', () => undefined);
  let head = Buffer.alloc(0);
  let hasHead = false;
  child.stdout.on('data', (chunk: Buffer) => {
    if (hasHead) {
      response.write(chunk);
      return;
    }
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    hasHead = true;
    const lines = head.subarray(0, end).toString().split('\r\n');
    const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
    const status = headers.find(([name]) => name === 'Status')?.[1];
    response.writeHead(
      Number.parseInt(status ?? '200', 10),
      headers.filter(([name]) => name !== 'Status').flat(),
    );
    response.write(head.subarray(end + 4));
  });
  child.on('close', () => response.end());
}
