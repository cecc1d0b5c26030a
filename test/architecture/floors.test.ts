/** Checks the floors inside each room, that folders form no circle, and the sizes of folders. */
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENTS } from '../../packages/truecast/src/agents/registry/agents.ts';
import { folderOf, importsOf, sourceFiles } from './source-tree.ts';

/** Folders of each room, the lowest floor first. A folder imports only from lower floors. `.` is the room itself. */
const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  json: [
    ['scan', 'text'],
    ['repair', '.'],
  ],
  schema: [
    ['work'],
    ['pattern'],
    ['pattern/portable'],
    ['engine/evaluation'],
    ['engine/keywords'],
    ['engine'],
    ['dialects/analysis'],
    ['dialects/impossible'],
    ['dialects/profiles'],
    ['dialects/lowering'],
    ['dialects', '.'],
    ['sample', 'told'],
  ],
  output: [['scan'], ['definition'], ['candidates'], ['judge'], ['validate'], ['finalizer', '.']],
  git: [
    ['command'],
    ['filter-rules'],
    ['repository', 'recovered'],
    ['changes', 'filters', 'checkout'],
    ['remote', 'worktree'],
    ['landing'],
  ],
  'guest-git': [['store'], ['receive'], ['.']],
  agents: [['sessions'], ['stream'], ['.'], ['acp', ...Object.keys(AGENTS)], ['registry']],
  sandboxes: [
    ['shared', 'isolated', 'egress/proxy'],
    ['egress/model'],
    ['egress'],
    ['bubblewrap'],
    ['containers'],
    ['.'],
    ['registry'],
  ],
  run: [
    ['attachments', 'events', 'finalizer', 'prompt', 'record', 'review/paths', 'turn'],
    ['logging', 'review'],
    ['options'],
    ['accounting', 'context', 'prepare'],
    ['settle'],
    ['places'],
    ['executions'],
    ['verify'],
    ['merge', 'stages'],
    ['.'],
    ['batch', 'escapes', 'leftovers'],
  ],
  client: [
    ['wire'],
    ['wire/runs'],
    ['wire/stream'],
    ['answer', 'calls', 'state'],
    ['runs'],
    ['.'],
    ['ai-sdk', 'react'],
    ['exports'],
  ],
  model: [
    ['failure', 'messages', 'runaway', 'tools'],
    ['chunks'],
    ['call', 'telemetry'],
    ['engine', 'ladder', 'models-file'],
    ['modes'],
    ['loop'],
    ['.'],
  ],
  store: [['tables'], ['database'], ['format', 'postgres', 'queue', 'sqlite'], ['.']],
  ensemble: [
    ['ledger'],
    ['projections', 'scenario'],
    ['governor', 'providers'],
    ['agent/answer', 'conductor', 'manifest'],
    ['agent/prompt', 'agent/verdict'],
    ['agent'],
    ['.'],
  ],
  server: [
    ['agents', 'body', 'contract'],
    ['config', 'contract/wire', 'format'],
    ['finalizer', 'pacing'],
    ['models', 'runs', 'turn'],
    ['live', 'models/file', 'openai/wire', 'state/rows'],
    ['state/client-ids', 'state/lists', 'state/shares', 'tokens'],
    ['openai/answer', 'openai/read', 'openai/write', 'runs/webhooks', 'state'],
    ['runs/state'],
    [
      'http/pages',
      'http/reference',
      'http/session',
      'ledger',
      'log',
      'metrics',
      'openai',
      'quality',
      'shares',
      'tools',
    ],
    ['http', 'runner'],
    ['http/stream', 'owners', 'runner/workers', 'runs/workers'],
    ['http/routes/runs'],
    ['http/routes'],
    ['http/app'],
    ['serve/connected', 'serve/kept-runs', 'serve/runs'],
    ['serve'],
    ['.'],
  ],
  testing: [
    ['scripted-model/turn'],
    ['scripted-model/anthropic'],
    ['scripted-model/openai-responses'],
    ['scripted-model/gemini', 'scripted-model/openai-chat'],
    ['scripted-model'],
    ['.'],
    ['offline-agent', 'scripted-agent'],
  ],
  cli: [
    ['terminal'],
    ['flags', 'pages'],
    ['ensemble/pages', 'init/sandcastle', 'mock/told'],
    ['ensemble/view'],
    ['action', 'compare', 'demo', 'doctor', 'ensemble', 'init', 'mock', 'serve'],
    ['runs'],
    ['.'],
  ],
};

const MAX_FILES = 20;

/** Helpers of tests can import from anywhere. */
const files = sourceFiles().filter((path) => !/\/test-[^/]+$/u.test(path));
const edges = files
  .flatMap(importsOf)
  .filter(({ to, isOwn }) => isOwn && files.includes(to))
  .map(({ from, to }) => ({ from, to, fromFolder: dirname(from), toFolder: dirname(to) }))
  .filter(({ fromFolder, toFolder }) => fromFolder !== toFolder);

describe('the folders', () => {
  it.each(Object.keys(FLOORS))('of %s import only from lower floors', (room) => {
    const floors = FLOORS[room] ?? [];
    const root = folderOf(room);
    const floorOf = (folder: string): number => {
      const name = folder === root ? '.' : folder.slice(`${root}/`.length);
      return floors.findIndex((names) => names.includes(name));
    };
    const isInside = (folder: string): boolean => `${folder}/`.startsWith(`${root}/`);
    const folders = [...new Set(files.map((path) => dirname(path)).filter(isInside))];
    expect(folders.filter((folder) => floorOf(folder) === -1)).toEqual([]);
    const offenders = edges
      .filter(({ fromFolder, toFolder }) => isInside(fromFolder) && isInside(toFolder))
      .filter(({ fromFolder, toFolder }) => floorOf(fromFolder) <= floorOf(toFolder))
      .map(({ from, to }) => `${from} -> ${to}`);
    expect(offenders).toEqual([]);
  });

  it('form no circle', () => {
    // Remove folders that import nothing which is left. What remains is in a circle, or above one.
    let left = new Set(edges.map(({ fromFolder }) => fromFolder));
    for (let before = -1; before !== left.size;) {
      before = left.size;
      const importing = edges.filter(
        ({ fromFolder, toFolder }) => left.has(fromFolder) && left.has(toFolder),
      );
      left = new Set(importing.map(({ fromFolder }) => fromFolder));
    }
    expect([...left]).toEqual([]);
  });

  it(`contain at most ${MAX_FILES} files`, () => {
    const counts = Map.groupBy(files, (path) => dirname(path));
    const offenders = [...counts].filter(([, paths]) => paths.length > MAX_FILES).map(([folder]) => folder);
    expect(offenders).toEqual([]);
  });
});
