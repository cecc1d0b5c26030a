/** Seeds of code on the host: what a guest leaves so that the user's next git command runs a program. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, makeRepository, temporaryFolder } from './fixture.ts';

/** A file of the repository before the run. */
interface Given {
  readonly path: string;
  /** For a link: its target. */
  readonly content: string;
  readonly isLink?: true;
}

/**
 * A way to make the user's git run a program. `MARK` is the program's file outside of the sandbox.
 */
export interface Seed {
  readonly title: string;
  readonly given?: readonly Given[];
  readonly config?: readonly (readonly [key: string, value: string])[];
  readonly script: string;
  /** Folders in which the user then runs git commands. */
  readonly folders: readonly string[];
  readonly expected: { readonly path: string; readonly reason: string };
}

const COMMIT_WITHOUT_HOOKS =
  'git -c core.hooksPath=/dev/null add -A && git -c core.hooksPath=/dev/null commit -qm work';
/** Commits everything. */
export const COMMIT = 'git add -A && git commit -qm work';
const HARMLESS_SCRIPT = '#!/bin/sh\ncat "$@"\n';
const EVIL_SCRIPT = (path: string): string =>
  `mkdir -p "$(dirname ${path})" && printf '#!/bin/sh\\ntouch MARK\\ncat "$@"\\n' > ${path} && chmod +x ${path}`;
const REPOSITORY_WITH_MONITOR = (path: string): string =>
  `git init -q ${path} && git -C ${path} -c user.name=a -c user.email=a@b.c commit -q --allow-empty -m in && git -C ${path} config core.fsmonitor 'touch MARK;false'`;

/** Commits that the host reviews before it merges them. */
export const COMMITTED: readonly Seed[] = [
  {
    title: 'a hook in a configured folder',
    given: [{ path: '.husky/pre-push', content: HARMLESS_SCRIPT }],
    config: [['core.hooksPath', '.husky']],
    script: `${EVIL_SCRIPT('.husky/post-index-change')} && ${COMMIT_WITHOUT_HOOKS}`,
    folders: ['.', '.husky'],
    expected: { path: '.husky/post-index-change', reason: 'hook' },
  },
  {
    title: "the file beside husky's own folder",
    given: [{ path: '.husky/_/pre-commit', content: '#!/bin/sh\n. "${0%/*}/../pre-commit"\n' }],
    config: [['core.hooksPath', '.husky/_']],
    script: `${EVIL_SCRIPT('.husky/pre-commit')} && ${COMMIT_WITHOUT_HOOKS}`,
    folders: ['.'],
    expected: { path: '.husky/pre-commit', reason: 'hook' },
  },
  {
    title: 'a file that the configuration includes',
    given: [{ path: '.gitconfig', content: '[alias]\n\tst = status\n' }],
    config: [['include.path', '../.gitconfig']],
    script: `printf '[core]\\n\\tfsmonitor = "touch MARK;false"\\n' > .gitconfig && git -c core.fsmonitor=false add -A && git -c core.fsmonitor=false commit -qm work`,
    folders: ['.'],
    expected: { path: '.gitconfig', reason: 'git-config' },
  },
  {
    title: 'the target of a hook that is a link',
    given: [
      { path: 'scripts/check.sh', content: HARMLESS_SCRIPT },
      { path: '.githooks/post-index-change', content: '../scripts/check.sh', isLink: true },
    ],
    config: [['core.hooksPath', '.githooks']],
    script: `${EVIL_SCRIPT('scripts/check.sh')} && ${COMMIT_WITHOUT_HOOKS}`,
    folders: ['.', 'scripts'],
    expected: { path: 'scripts/check.sh', reason: 'configured-program' },
  },
  {
    title: 'a new hook in the target of a hooks folder that is a link',
    given: [
      { path: 'tools/hooks/README', content: 'hooks\n' },
      { path: '.githooks', content: 'tools/hooks', isLink: true },
    ],
    config: [['core.hooksPath', '.githooks']],
    script: `${EVIL_SCRIPT('tools/hooks/post-index-change')} && ${COMMIT_WITHOUT_HOOKS}`,
    folders: ['.', 'tools'],
    expected: { path: 'tools/hooks/post-index-change', reason: 'hook' },
  },
  {
    title: 'a script that shows text differences',
    given: [
      { path: 'scripts/show.sh', content: HARMLESS_SCRIPT },
      { path: '.gitattributes', content: '*.bin diff=shown\n' },
      { path: 'x.bin', content: 'one\n' },
    ],
    config: [['diff.shown.textconv', 'scripts/show.sh']],
    script: `${EVIL_SCRIPT('scripts/show.sh')} && echo two > x.bin && ${COMMIT}`,
    folders: ['.', 'scripts'],
    expected: { path: 'scripts/show.sh', reason: 'configured-program' },
  },
  {
    title: 'a script that merges files',
    given: [
      { path: 'tools/merge.sh', content: HARMLESS_SCRIPT },
      { path: '.gitattributes', content: '*.txt merge=own\n' },
    ],
    config: [['merge.own.driver', 'sh tools/merge.sh %A']],
    script: `${EVIL_SCRIPT('tools/merge.sh')} && ${COMMIT}`,
    folders: ['.', 'tools'],
    expected: { path: 'tools/merge.sh', reason: 'configured-program' },
  },
  {
    title: 'a line of attributes that turns on a driver',
    given: [{ path: 'x.bin', content: 'one\n' }],
    config: [['diff.shown.textconv', 'touch MARK; cat']],
    script: `echo '*.bin diff=shown' > .gitattributes && echo two > x.bin && ${COMMIT}`,
    folders: ['.'],
    expected: { path: '.gitattributes', reason: 'attributes-driver' },
  },
  {
    title: 'a link above a configured hooks folder that does not exist',
    config: [['core.hooksPath', 'tools/hooks']],
    script: `${EVIL_SCRIPT('lib/hooks/post-index-change')} && ln -s lib tools && ${COMMIT_WITHOUT_HOOKS}`,
    folders: ['.'],
    expected: { path: 'tools', reason: 'hook' },
  },
  {
    title: 'a bare repository in a folder',
    script: `mkdir -p kit/objects kit/refs && printf 'ref: refs/heads/main\\n' > kit/HEAD && touch kit/objects/.keep kit/refs/.keep && printf '[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tworktree = ..\\n\\tfsmonitor = "touch MARK;false"\\n' > kit/config && git add -A && git commit -qm work`,
    folders: ['.', 'kit'],
    expected: { path: 'kit', reason: 'bare-repository' },
  },
  {
    title: 'a submodule entry and its file',
    script: `${REPOSITORY_WITH_MONITOR('sub')} && printf '[submodule "sub"]\\n\\tpath = sub\\n\\turl = ./sub\\n' > .gitmodules && git add .gitmodules && git update-index --add --cacheinfo "160000,$(git -C sub rev-parse HEAD),sub" && git -c core.fsmonitor=false commit -qm work`,
    folders: ['.'],
    expected: { path: '.gitmodules', reason: 'git-modules' },
  },
  {
    title: 'a server for large files',
    script: `printf '[lfs]\\n\\turl = http://127.0.0.1:9/\\n' > .lfsconfig && ${COMMIT}`,
    folders: ['.'],
    expected: { path: '.lfsconfig', reason: 'lfs-config' },
  },
];

/** Repositories among the files of a checkout. */
export const LEFT_BEHIND: readonly Seed[] = [
  {
    title: 'an untracked nested repository',
    script: REPOSITORY_WITH_MONITOR('sub'),
    folders: ['.', 'sub', 'sub/.git', 'sub/.git.truecast-quarantined'],
    expected: { path: 'sub/.git', reason: 'nested-repository' },
  },
  {
    title: 'a nested repository that git ignores, under another spelling and a name that is not UTF-8',
    script: `${REPOSITORY_WITH_MONITOR("$(printf 'x\\377y')/z")} && echo '*y' > .gitignore && ${COMMIT}`,
    folders: ['.'],
    expected: { path: 'x\uFFFDy/z/.git', reason: 'nested-repository' },
  },
  {
    title: 'a repository behind a .git file',
    script: `${REPOSITORY_WITH_MONITOR('store')} && mkdir sub && echo 'gitdir: ../store/.git' > sub/.git`,
    folders: ['.', 'sub', 'store'],
    expected: { path: 'sub/.git', reason: 'nested-repository' },
  },
  {
    title: 'an untracked bare repository',
    script: `git init -q --bare kit && git -C kit config core.bare false && git -C kit config core.worktree .. && git -C kit config core.fsmonitor 'touch MARK;false'`,
    folders: ['.', 'kit'],
    expected: { path: 'kit', reason: 'bare-repository' },
  },
];

/** Creates the repository of a seed. `mark` does not exist yet. */
export function prepare({ given = [], config = [] }: Pick<Seed, 'given' | 'config'>): {
  readonly cwd: string;
  readonly mark: string;
} {
  const cwd = makeRepository();
  const mark = join(temporaryFolder(), 'mark');
  for (const { path, content, isLink = false } of given) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true });
    if (isLink) symlinkSync(content, join(cwd, path));
    else writeFileSync(join(cwd, path), content);
    if (content.startsWith('#!')) chmodSync(join(cwd, path), 0o755);
  }
  if (given.length > 0) {
    git(cwd, 'add', '-A');
    git(cwd, 'commit', '-q', '-m', 'given');
  }
  for (const [key, value] of config) git(cwd, 'config', key, value.replaceAll('MARK', mark));
  // If a configured program makes the mark, only the agent's change is allowed to start it.
  return { cwd, mark };
}
