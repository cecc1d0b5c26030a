/**
 * Filters for tests: real programs in a folder outside of the repository, one for each way in which
 * git runs them.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, makeRepository, temporaryFolder } from './fixture.ts';

/** A filter, and its effect as functions. */
export interface FilterKind {
  readonly title: string;
  /** Values of `filter.secret.*` for a folder of programs. */
  readonly config: (programs: string) => Readonly<Record<string, string>>;
  /** From worktree content to blob content. */
  readonly clean: (text: string) => string;
  /** From blob content to worktree content. */
  readonly smudge: (text: string) => string;
}

/** Rotates letters, so that applying it twice is visible. */
function rotate(text: string, by: number): string {
  const rotateOne = (letter: string): string =>
    String.fromCodePoint((((letter.codePointAt(0) ?? 0) - 97 + by + 26) % 26) + 97);
  return text.replaceAll(/[a-z]/gu, rotateOne);
}

const ROTATION = {
  clean: (text: string): string => rotate(text, 1),
  smudge: (text: string): string => rotate(text, -1),
};

/** Every way in which git runs a filter. */
export const FILTER_KINDS: readonly FilterKind[] = [
  {
    title: 'clean and smudge commands',
    config: () => ({ clean: 'tr a-z b-za', smudge: 'tr b-za a-z', required: 'true' }),
    ...ROTATION,
  },
  {
    title: 'a clean command alone',
    config: () => ({ clean: "sed -e 's/output: .*/output:/'" }),
    clean: (text) => text.replaceAll(/output: .*/gu, 'output:'),
    smudge: (text) => text,
  },
  {
    title: 'a long-running process',
    config: (programs) => ({ process: join(programs, 'rot-process'), required: 'true' }),
    ...ROTATION,
  },
  {
    title: 'a program with a path, as git-crypt is installed',
    config: (programs) => ({
      clean: `"${join(programs, 'git-crypt')}" clean`,
      smudge: `"${join(programs, 'git-crypt')}" smudge`,
      required: 'true',
    }),
    ...ROTATION,
  },
];

/** Version 2 of git's long-running filter protocol. */
const ROT_PROCESS = `#!/usr/bin/perl
use strict; binmode STDIN; binmode STDOUT; $| = 1;
sub take { my ($size) = @_; my ($got, $part) = ('', ''); while (length $got < $size) { read(STDIN, $part, $size - length $got) or exit 0; $got .= $part } $got }
sub packets { my @found; while (1) { my $size = hex take(4); return @found if $size == 0; push @found, take($size - 4) } }
sub send_all { for my $one (@_) { print sprintf('%04x', length($_) + 4) . $_ for unpack '(a65000)*', $one } print '0000' }
packets(); send_all("git-filter-server\\n", "version=2\\n");
packets(); send_all("capability=clean\\n", "capability=smudge\\n");
while (1) {
  my $head = join '', packets(); my $body = join '', packets();
  if ($head =~ /^command=clean$/m) { $body =~ tr/a-z/b-za/ } else { $body =~ tr/a-z/za-y/ }
  send_all("status=success\\n"); send_all($body); send_all();
}
`;

const GIT_CRYPT = `#!/bin/sh
case $1 in clean) exec tr a-z b-za ;; smudge) exec tr b-za a-z ;; esac
exit 1
`;

/** Creates the folder of programs. A sandbox has to mount it at the same path. */
export function makeFilterPrograms(): string {
  const programs = temporaryFolder();
  writeFileSync(join(programs, 'rot-process'), ROT_PROCESS, { mode: 0o755 });
  writeFileSync(join(programs, 'git-crypt'), GIT_CRYPT, { mode: 0o755 });
  return programs;
}

/** Content of the three filtered files of a new repository. */
export const SECRETS: Readonly<Record<string, string>> = {
  'x.enc': 'hello\noutput: 1\n',
  'y.enc': 'world\noutput: 2\n',
  'deep/z.enc': 'zebra\n',
};

/**
 * Creates a repository whose `*.enc` files go through the filter `secret`, as a user would with
 * plain git.
 *
 * @param files - the filtered ones. @default `SECRETS`
 */
export function makeFilteredRepository(
  config: Readonly<Record<string, string>>,
  files: Readonly<Record<string, string>> = SECRETS,
): string {
  const path = makeRepository();
  for (const [key, value] of Object.entries(config)) git(path, 'config', `filter.secret.${key}`, value);
  writeFiles(path, { '.gitattributes': '*.enc filter=secret\n', ...files });
  git(path, 'add', '-A');
  git(path, 'commit', '-q', '-m', 'secrets');
  return path;
}

/** Writes files below a folder. */
function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}
