/** Scenarios of the ten jobs: the files, and the actions of an agent and the model. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentCall } from './agent-act.ts';
import type { Place, RecordedTurn, Scenario, Turn } from './world.ts';

const FILES_12 = Array.from({ length: 12 }, (_, index) => `f${String(index + 1).padStart(2, '0')}.txt`);
const commit = (message: string): string => `git add -A && git commit -q -m '${message}'`;
const changeFile = (file: string): string => `sed -i s/old/new/ ${file} && ${commit(`Change ${file}`)}`;
const filesOf = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, `the old text of ${name}\n`]));

/** The scenarios by the number of their job. */
export const SCENARIOS: Readonly<Record<number, Scenario>> = {
  1: {
    title: 'Planner, parallel fixes',
    setup: ({ commitAll }) => {
      commitAll({ ...filesOf(['a.txt', 'b.txt', 'c.txt']), 'index.txt': 'index\n' });
      return {};
    },
    model: () => ({
      subject: 'plan',
      answer: { tasks: ['a', 'b', 'c'].map((name) => task(`${name}.txt`)) },
      wrong: { tasks: [task('a.txt'), task('a.txt')] },
    }),
    agent: (call) => fileTurn(call, /\b[abc]\.txt\b/u),
  },
  2: {
    title: 'Review, then fix',
    setup: ({ commitAll }) => {
      commitAll({ 'src.txt': 'one\ntwo\na bug\nfour\nfive\n' });
      return {};
    },
    agent: ({ sessionId }, turns) =>
      turns.some((turn) => turn.sessionId === sessionId && turn.isRight)
        ? {
            subject: 'fix',
            shell: `sed -i s/bug/feature/ src.txt && ${commit('Fix the bug')}`,
            answer: { problems: [] },
          }
        : {
            subject: 'review',
            answer: { problems: [{ line: 3, what: 'a bug' }] },
            wrong: { problems: [{ line: 99, what: 'a bug' }] },
          },
  },
  3: {
    title: 'Backlog loop',
    setup: ({ commitAll }) => {
      commitAll({ 'backlog.txt': 'open one\nopen two\nopen three\n' });
      return { input: { max: 5 } };
    },
    agent: backlogTurn,
  },
  4: {
    title: 'Tournament',
    setup: ({ commitAll }) => {
      commitAll({ 'solution.txt': 'todo\n' });
      return {};
    },
    agent: ({ sessionId }, turns) => {
      const sessions = [...new Set(turns.map((turn) => turn.sessionId))];
      const earlier = sessions.indexOf(sessionId);
      const subject = `quality ${(earlier === -1 ? sessions.length : earlier) + 1}`;
      return {
        subject,
        shell: `echo '${subject}' > solution.txt && (git commit -q -a -m 'Solve it' || true)`,
        answer: { done: true },
      };
    },
    model: (prompt) => {
      const shown = [...new Set(prompt.match(/quality \d/gu))];
      return {
        subject: 'judge',
        answer: { winner: shown.indexOf('quality 2') + 1, why: 'It is the best.' },
        wrong: { winner: 4, why: 'It is the best.' },
      };
    },
  },
  5: {
    title: 'Merge queue',
    setup: (place) => {
      place.commitAll({
        'base.num': '0\n',
        'note.txt': 'a note\n',
        'check.sh': `test "$(cat *.num | awk '{ s += $1 } END { print s }')" -le 100\n`,
      });
      for (const [branch, count] of Object.entries({ x: 60, y: 60, z: 20 })) {
        addBranch(place, branch, `${count}\n`);
      }
      return { input: { branches: ['x', 'y', 'z'], check: 'sh check.sh' } };
    },
  },
  6: {
    title: 'Nightly batch',
    setup: ({ root, commitAll }) => {
      const repos = ['r1', 'r2', 'r3', 'r4'].map((name) => join(root, name));
      for (const [index, repo] of repos.entries()) {
        commitAll({ 'name.txt': `r${index + 1}\n`, 'version.txt': `1.0.${index + 1}\n` }, repo);
      }
      return { repos, input: { state: join(root, 'state') } };
    },
    agent: ({ cwd }) => ({
      subject: readFileSync(join(cwd, 'name.txt'), 'utf8').trim(),
      answer: { ok: true, version: readFileSync(join(cwd, 'version.txt'), 'utf8').trim() },
      wrong: { ok: true, version: 'latest' },
    }),
  },
  7: {
    title: 'CI triage',
    setup: ({ write }) => {
      write('build.log', 'start\ntest: ok\nlint: ok\ndeploy: no space left on device\nstop\n');
      return {};
    },
    agent: () => ({
      subject: 'triage',
      answer: { job: 'deploy', cause: 'infra', line: 4 },
      wrong: { job: 'test', cause: 'weather', line: 2 },
    }),
  },
  8: {
    title: 'Codemod',
    setup: ({ commitAll }) => {
      commitAll({ ...filesOf(FILES_12), 'other.txt': 'other\n' });
      return { input: { files: FILES_12 } };
    },
    agent: (call) => fileTurn(call, /\bf\d\d\.txt\b/u),
  },
  9: {
    title: 'Review with comments',
    setup: (place) => {
      place.commitAll({ 'app.txt': 'one\ntwo\nthree\n' });
      place.git('checkout', '-q', '-b', 'feature');
      place.write('app.txt', 'one\nTWO\nthree\n');
      place.write('new.txt', 'a new file\n');
      place.git('add', '-A');
      place.git('commit', '-q', '-m', 'A feature');
      place.git('checkout', '-q', 'main');
      return { input: { branch: 'feature' } };
    },
    agent: () => ({
      subject: 'review',
      answer: {
        comments: [
          { path: 'app.txt', line: 2, text: 'Why in capitals?' },
          { path: 'new.txt', line: 1, text: 'Add a title.' },
        ],
      },
      wrong: { comments: [{ path: 'app.txt', line: 40, text: 'Why in capitals?' }] },
    }),
  },
  10: {
    title: 'Test and fix until green',
    setup: ({ commitAll }) => {
      commitAll({ 'parts.txt': 'broken\nfine\nbroken\n', 'test.sh': '! grep -n broken parts.txt\n' });
      return { input: { test: 'sh test.sh' } };
    },
    agent: (_call, turns) => ({
      subject: `round ${turns.length + 1}`,
      shell: `sed -i '0,/broken/s//fixed/' parts.txt && (git commit -q -a -m 'Fix a part' || true)`,
      answer: { done: true },
    }),
  },
};

function task(file: string): { file: string; text: string } {
  return { file, text: `Replace old by new in ${file}, and commit.` };
}

function addBranch({ git, write }: Place, branch: string, content: string): void {
  git('checkout', '-q', '-b', branch, 'main');
  write(`${branch}.num`, content);
  git('add', '-A');
  git('commit', '-q', '-m', `Add ${branch}`);
  git('checkout', '-q', 'main');
}

function fileTurn({ prompt }: AgentCall, pattern: RegExp): Turn {
  const file = pattern.exec(prompt)?.[0];
  if (file === undefined) throw new Error('The prompt names no file.');
  return { subject: file, shell: `(${changeFile(file)} || true)`, answer: { done: true } };
}

/** Closes the first open item. A session whose last answer was wrong only answers again. */
function backlogTurn({ sessionId, cwd }: AgentCall, turns: readonly RecordedTurn[]): Turn {
  const path = join(cwd, 'backlog.txt');
  const open = existsSync(path) ? (readFileSync(path, 'utf8').match(/(?<=^open )\w+/gmu) ?? []) : [];
  const earlier = turns.findLast((turn) => turn.sessionId === sessionId);
  if (earlier !== undefined && !earlier.isRight) return answered(earlier.subject, open.length === 0);
  const item = open[0];
  if (item === undefined) return answered('', true);
  return {
    ...answered(item, open.length === 1),
    shell: `sed -i 's/^open ${item}/closed ${item}/' backlog.txt && ${commit(`Close ${item}`)}`,
  };
}

function answered(item: string, done: boolean): Turn {
  return { subject: item, answer: { done, closed: item }, wrong: { done: 'yes', closed: item } };
}
