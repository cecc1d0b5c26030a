/**
 * Diagrams: each picture is what its script draws, and the states are those of the table.
 *
 * This test writes them: `npx vitest run test/docs/diagrams.test.ts --update=all`.
 */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { diagrams } from '../../scripts/diagrams/diagrams.ts';
import { drawDiagram, type Diagram } from '../../scripts/diagrams/draw-diagram.ts';
import { cellsOf } from '../../site/prepare/markdown.ts';
import { readPage } from './page-snippets.ts';

it.each(Object.entries(diagrams))('%s is the picture of its script', async (name, diagram) => {
  const svg = drawDiagram(diagram);
  expect(svg).not.toMatch(/NaN|undefined|<script|url\(|href=/u);
  await expect(svg).toMatchFileSnapshot(
    fileURLToPath(new URL(`../../docs/images/diagram-${name}.svg`, import.meta.url)),
  );
});

it.each(Object.keys(diagrams).filter((name) => name !== 'routes'))(
  '%s is on one page, with an alternative text',
  (name) => {
    const alternative = new RegExp(`^!\\[[^\\]]{40,}\\]\\(images/diagram-${name}\\.svg\\)$`, 'mu');
    const pages = readdirSync(new URL('../../docs', import.meta.url)).filter((file) => file.endsWith('.md'));
    expect(pages.filter((page) => alternative.test(readPage(`docs/${page}`)))).toHaveLength(1);
  },
);

it('each arrow between states is a transition of the table', () => {
  const page = readPage('docs/chat-states.md').split('\n');
  const rows = page.filter((line) => line.startsWith('| `')).map(cellsOf);
  const states = cellsOf(page.find((line) => line.startsWith('| transition | none')) ?? '');
  const arrows = diagrams['chat-states']?.arrows ?? [];
  const isTransition = ({ from, to, label }: Diagram['arrows'][number]): boolean =>
    rows.some(([name = '', ...cells]) => {
      const ends = cells[states.indexOf(from) - 1]?.split(', ') ?? [];
      return ends.includes(to) && (label === undefined || name === `\`${label}\``);
    });
  expect(arrows.length).toBeGreaterThan(5);
  expect(arrows.filter((arrow) => !isTransition(arrow))).toEqual([]);
});

it('refuses a text that is wider than its box, and an arrow to no box', () => {
  const diagram: Diagram = { title: '', description: '', columns: 1, rows: 1, boxes: {}, arrows: [] };
  const wide = { a: { at: [0, 0], title: 'a title that is far too wide for a box' } } as const;
  expect(() => drawDiagram({ ...diagram, boxes: wide })).toThrow('is wider than its box');
  expect(() => drawDiagram({ ...diagram, arrows: [{ from: 'a', to: 'b' }] })).toThrow('No box is named `a`');
});
