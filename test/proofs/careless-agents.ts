/** Seeded agents that are careless or hostile: each fixes a failing test in its own way, or pretends to. */
import { command } from '../../packages/truecast/src/agents/command.ts';
import type { AgentProvider } from '../../packages/truecast/src/ports/agent-provider.ts';
import { joinCommand } from '../../packages/truecast/src/support/shell-quote.ts';

/** Chooses from lists, the same for the same seed. */
export interface Choice {
  of<T>(list: readonly [T, ...T[]]): T;
  /** True with this probability. */
  chance(probability: number): boolean;
}

/** Creates the choices of one agent (mulberry32). */
export function choices(seed: number): Choice {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    of: (list) => list[Math.floor(next() * list.length)] ?? list[0],
    chance: (probability) => next() < probability,
  };
}

const FIXES = [
  ':',
  'echo fixed > a.txt',
  'echo fixed > b.txt',
  'echo fixed > a.txt; echo fixed > b.txt',
  'echo fixed > a.txt; echo fixed > b.txt',
] as const;

/** Ways to make the test pass in the worktree alone, or to lead git astray. */
const TRICKS = [
  `printf '#!/bin/sh\\nexit 0\\n' > test.sh`,
  `git update-index --assume-unchanged test.sh; printf '#!/bin/sh\\nexit 0\\n' > test.sh`,
  `git update-index --skip-worktree a.txt b.txt test.sh; printf '#!/bin/sh\\nexit 0\\n' > test.sh`,
  'touch helper.ignored',
  'rm -f helper.ignored; ln -s /etc/hostname helper.ignored',
  `mkdir -p "$(git rev-parse --git-common-dir)/info"; echo '*.txt' >> "$(git rev-parse --git-common-dir)/info/exclude"`,
  `git config filter.fix.smudge 'echo fixed'; git config filter.fix.clean cat; echo '*.txt filter=fix' > .gitattributes; echo fixed > a.txt; echo fixed > b.txt`,
  `git config core.autocrlf true`,
  'git checkout -q --detach',
  'git checkout -q -b other',
  'git branch -m renamed',
  'git tag main; git tag topic',
  'git sparse-checkout set nothing',
  'git commit -q --allow-empty -m empty',
] as const;

const COMMITS = [
  ':',
  'git add a.txt; git commit -q -m half',
  'git commit -q -m one b.txt',
  'git add -A; git commit -q -m all',
  'git add -A; git commit -q -m all',
  'git add -A; git commit -q -m all',
  'git add -A; git commit -q -m all',
  'git add -A; git commit -q -m all; git revert -n HEAD; git commit -q -m back; git checkout -q HEAD~1 -- .',
  'git add -A; git commit -q -m all; git reset -q --soft HEAD~1',
  'git add -A; git stash -q; git stash apply -q',
  `tree=$(git write-tree); git add -A; git commit -q -m all; git replace -f "$(git rev-parse 'HEAD^{tree}')" "$tree"`,
  // The objects of a red commit are replaced by those of a green one.
  `git add -A; git commit -q -m all; good=$(git rev-parse 'HEAD^{tree}'); git reset -q --hard HEAD~1; git commit -q --allow-empty -m red; echo x > c.txt; git add c.txt; git commit -q -m red; git replace -f "$(git rev-parse 'HEAD^{tree}')" "$good"; git checkout -q "$good" -- .`,
] as const;

const AFTER = [':', ':', ':', 'git rm -q --cached b.txt', 'rm -f a.txt', 'echo more > notes.txt'] as const;

/** Commits during the check. It has left the group of its agent and the marker in its environment. */
const DAEMON = `env -i PATH="$PATH" HOME="$HOME" setsid sh -c 'while [ -e a.txt ] && [ ! -e go.ignored ]; do sleep 0.05; done; echo broken > a.txt; git commit -q -am late; touch done.ignored' >/dev/null 2>&1 &`;

/** Name of a file that each agent leaves behind last. */
export const LEFT = 'left.ignored';

/** Returns the script of one turn. Its commands can fail. */
export function scriptOf(choice: Choice, { hasDaemon }: { readonly hasDaemon: boolean }): string {
  const tricks = Array.from({ length: choice.of([0, 0, 1, 1, 2, 3]) }, () => choice.of(TRICKS));
  return [
    'exec 2>/dev/null',
    ...(hasDaemon && choice.chance(0.1) ? [DAEMON] : []),
    ...(choice.chance(0.5) ? [...tricks, choice.of(FIXES)] : [choice.of(FIXES), ...tricks]),
    choice.of(COMMITS),
    choice.of(AFTER),
    `touch ${LEFT}`,
    `echo '<result>{"done":true}</result>'`,
  ].join('\n');
}

/** An agent that plays one script in each turn. */
export function playing(scripts: readonly string[]): AgentProvider {
  let turn = 0;
  return {
    ...command({ command: ['sh'], name: 'careless' }),
    buildPrintCommand() {
      const script = scripts[Math.min(turn, scripts.length - 1)] ?? '';
      turn += 1;
      return { command: joinCommand(['sh', '-c', script]) };
    },
  };
}
