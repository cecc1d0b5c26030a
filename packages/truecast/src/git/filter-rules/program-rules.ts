/** Program tables: programs that run code which a command line does not name. Pure. */
import { basename } from 'node:path';

/** Run code that the current folder or its project files define. */
const PROJECT_RUNNERS = new Set(
  'npx npm pnpm pnpx yarn yarnpkg bunx bun corepack make gmake just task rake bundle poetry pipenv pdm tox uv uvx hatch cargo go gradle gradlew mvn ant prettier eslint direnv mise asdf deno dotnet composer rails swift nix nix-shell vim nvim ex gdb cmake'.split(
    ' ',
  ),
);

/** Run another command that this check does not inspect. */
const COMMAND_RUNNERS = new Set(
  'eval source . xargs find parallel sudo su doas ssh script setsid nice timeout stdbuf time chroot unshare watch trap alias cd pushd export set if for while until case function coproc'.split(
    ' ',
  ),
);

const SHELLS = new Set('sh bash dash zsh ksh mksh ash fish busybox'.split(' '));
const INTERPRETERS = new Set(
  'python pypy node nodejs perl ruby jruby php lua luajit tclsh Rscript R julia osascript guile racket java groovy scala elixir erl raku'.split(
    ' ',
  ),
);

/** Accept a program text as an operand, in which slashes and dots are not paths. */
const TEXT_PROGRAMS = new Set(
  'sed gsed awk gawk mawk nawk tr grep egrep fgrep rg jq yq gojq xmllint cut sort'.split(' '),
);

/** Accept a subcommand first, which is not a file. */
const GIT_EXTENSIONS = new Set('git-lfs git-crypt git-annex git-agecrypt'.split(' '));

/** Kind of a program: how the code that it runs is determined. */
export type ProgramKind =
  | 'project-runner'
  | 'command-runner'
  | 'shell'
  | 'interpreter'
  | 'text'
  | 'git-extension'
  | 'plain';

/** Returns the kind of a program. A version at the end of the name is ignored. */
export function kindOfProgram(program: string, subcommand = ''): ProgramKind {
  const name = basename(program).replace(/\.exe$/u, '');
  // `git lfs` is `git-lfs`. Any other subcommand can be an alias.
  if (name === 'git') return GIT_EXTENSIONS.has(`git-${subcommand}`) ? 'git-extension' : 'command-runner';
  if (GIT_EXTENSIONS.has(name)) return 'git-extension';
  const plain = name.replace(/[-.\d]+$/u, '') || name;
  if (PROJECT_RUNNERS.has(plain)) return 'project-runner';
  if (COMMAND_RUNNERS.has(name)) return 'command-runner';
  if (SHELLS.has(plain)) return 'shell';
  if (INTERPRETERS.has(plain)) return 'interpreter';
  return TEXT_PROGRAMS.has(plain) ? 'text' : 'plain';
}

/** Options of text programs whose value is a file of instructions. */
export const INSTRUCTION_FILE_OPTION: RegExp = /^(-[a-zA-Z]*f|-L|--file|--from-file|--include|-E)$/u;

/** Interpreter options whose value is code. */
export const INLINE_CODE_OPTION: RegExp = /^(-[a-zA-Z]*[ce]|--eval|-r|--print|-p)$/u;

/** Variables that change what a program loads. */
export const LOADING_VARIABLE: RegExp =
  /^(PATH|ENV|BASH_ENV|IFS|SHELLOPTS|(LD|DYLD|PYTHON|NODE|PERL|RUBY|LUA|PHP|JAVA|GIT)_?\w*)$/u;
