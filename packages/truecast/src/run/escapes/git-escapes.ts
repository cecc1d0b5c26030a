/** Escape attempts over git: the repository's history, and code that the host runs later. Data. */
import { existsSync } from 'node:fs';
import { type EscapeAttempt, type EscapeBait, useGitAsTheUser } from './escape-bait.ts';

const COMMON = '"$(git rev-parse --git-common-dir)"';
/**
 * Sets an identity. Without one, git would refuse the commit, and the attempt would count as held.
 */
const COMMIT = 'git -c user.name=g -c user.email=g@localhost commit -q';
/** Folders in which a guest can find objects of the host. */
const OBJECTS = `${COMMON}/objects /run/truecast/objects/*/objects`;

/** Runs the user's git, then looks for the guest's marker. */
async function hostRanIt(bait: EscapeBait): Promise<boolean> {
  await useGitAsTheUser(bait);
  return existsSync(bait.marker);
}

/** Creates `planted/` as a nested repository whose configuration runs a command. */
function nestedRepository({ marker }: EscapeBait): string {
  return `git init -q planted && git -C planted config core.fsmonitor "touch '${marker}'" && (cd planted && echo x > x && git add x && ${COMMIT} -m g)`;
}

const ATTEMPTS: readonly EscapeAttempt[] = [
  {
    id: 'move-main',
    title: 'move the branch `main`',
    promise: 'history',
    script: () => `${COMMIT} --allow-empty -m guest; git update-ref refs/heads/main HEAD`,
    escaped: async ({ git }) => (await git('log', '-1', '--format=%s', 'main')) !== 'begin',
  },
  {
    id: 'move-tag',
    title: 'move a tag',
    promise: 'history',
    script: () => `${COMMIT} --allow-empty -m guest; git tag -f v1`,
    escaped: async ({ git }) => (await git('log', '-1', '--format=%s', 'v1')) !== 'begin',
  },
  {
    id: 'replace-object',
    title: 'replace an object by `refs/replace`',
    promise: 'history',
    script: () => 'git replace -f HEAD:file.txt HEAD:other.txt',
    escaped: async ({ git }) => (await git('cat-file', '-p', 'main:file.txt')) !== 'the file',
  },
  {
    id: 'forge-object',
    title: 'give an object other content',
    promise: 'history',
    script: () =>
      `file=$(git rev-parse HEAD:file.txt); other=$(git rev-parse HEAD:other.txt)
       path() { printf %s/%s "$(printf %.2s "$1")" "\${1#??}"; }
       for o in ${OBJECTS}; do chmod u+w "$o/$(path "$file")"; cp -f "$o/$(path "$other")" "$o/$(path "$file")"; done`,
    escaped: async ({ git }) => (await git('cat-file', '-p', 'main:file.txt')) !== 'the file',
  },
  {
    id: 'wipe-objects',
    title: 'delete the objects of the repository',
    promise: 'history',
    script: () => `for o in ${OBJECTS}; do rm -rf "$o"/??; rm -rf "$o"; done`,
    escaped: async ({ git }) => (await git('fsck', '--full', '--strict')) === undefined,
  },
  {
    id: 'wipe-references',
    title: 'delete branches and reflogs',
    promise: 'history',
    script: () => `rm -rf ${COMMON}/refs ${COMMON}/packed-refs ${COMMON}/logs`,
    escaped: async ({ git }) => (await git('rev-parse', '--verify', 'main')) === undefined,
  },
  {
    id: 'plant-hook',
    title: 'run a hook on the host',
    promise: 'code-on-host',
    script: ({ marker }) =>
      `for h in ${COMMON}/hooks .git/hooks; do mkdir -p "$h"; printf "#!/bin/sh\\ntouch '${marker}'\\n" > "$h/pre-commit"; chmod +x "$h/pre-commit"; done`,
    escaped: hostRanIt,
  },
  {
    id: 'plant-configuration',
    title: 'run a command of the git configuration on the host',
    promise: 'code-on-host',
    script: ({ marker }) =>
      `git config core.fsmonitor "touch '${marker}'"; git config --file ${COMMON}/config core.fsmonitor "touch '${marker}'"`,
    escaped: hostRanIt,
  },
  {
    id: 'plant-configuration-in-head',
    title: 'run a command of the git configuration on the host, from the checkout itself',
    promise: 'code-on-host',
    strategy: 'head',
    script: ({ marker }) =>
      `git config core.fsmonitor "touch '${marker}'"; printf '[core]\\nfsmonitor = touch %s\\n' '${marker}' >> .git/config`,
    escaped: hostRanIt,
  },
  {
    id: 'plant-gitlink',
    title: 'stage a repository whose configuration runs a command',
    promise: 'code-on-host',
    strategy: 'head',
    script: (bait) => `${nestedRepository(bait)}; git add planted`,
    escaped: hostRanIt,
  },
  {
    id: 'merge-bare-repository',
    title: 'merge a bare repository whose configuration runs a command',
    promise: 'code-on-host',
    strategy: 'merge-to-head',
    script: (bait) =>
      `${nestedRepository(bait)}; mv planted p; git clone -q --bare p planted; git -C planted config core.bare false; git -C planted config core.worktree .; git -C planted config core.fsmonitor "touch '${bait.marker}'"; rm -rf p; git add -A; git commit -q -m guest`,
    escaped: hostRanIt,
  },
];

/** Attempts on the repository and on later git commands of its user. */
export const GIT_ESCAPES: readonly EscapeAttempt[] = ATTEMPTS.map((attempt) => ({
  ...attempt,
  script: (bait) => `command -v git > /dev/null || echo NOT-TRIED; ${attempt.script(bait)}`,
}));
