/** Tests of the Grafana dashboard without Grafana: the members that its schema requires, and the layout. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Columns of Grafana's grid. */
const GRID_WIDTH = 24;
/** Names of Grafana's unit formats. An unknown one is printed after each number. */
const UNITS = ['bytes', 'currencyUSD', 'ops', 'reqps', 's', 'short'] as const;

const datasource = z.strictObject({ type: z.literal('prometheus'), uid: z.literal('${datasource}') });
const count = z.int().min(0);
const panelSchema = z.strictObject({
  id: z.int().min(1),
  type: z.literal('timeseries'),
  title: z.string().min(1),
  datasource,
  gridPos: z.strictObject({ h: count.min(1), w: count.min(1).max(GRID_WIDTH), x: count, y: count }),
  fieldConfig: z.strictObject({
    defaults: z.strictObject({ unit: z.enum(UNITS), min: z.number() }),
    overrides: z.tuple([]),
  }),
  targets: z
    .array(
      z.strictObject({
        refId: z.string().regex(/^[A-Z]$/u),
        expr: z.string().min(1),
        legendFormat: z.string().min(1),
      }),
    )
    .min(1),
});
const dashboardSchema = z.strictObject({
  title: z.string().min(1),
  uid: z.string().regex(/^[\w-]{1,40}$/u),
  // Older ones are migrated when they are opened.
  schemaVersion: z.int().min(36),
  version: count,
  tags: z.array(z.string()),
  editable: z.boolean(),
  time: z.strictObject({ from: z.string(), to: z.string() }),
  refresh: z.string(),
  templating: z.strictObject({
    list: z.tuple([
      z.strictObject({
        name: z.literal('datasource'),
        type: z.literal('datasource'),
        query: z.literal('prometheus'),
        label: z.string(),
      }),
    ]),
  }),
  panels: z.array(panelSchema),
});

const file = new URL('../../docs/operations/dashboard.json', import.meta.url);
const { panels } = dashboardSchema.parse(JSON.parse(readFileSync(file, 'utf8')));

it('has panels with different ids and titles, and queries with different names', () => {
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  for (const { targets } of panels) {
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
  }
});

it('fills the grid without overlaps', () => {
  const taken = new Map<string, string>();
  for (const { title, gridPos } of panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(GRID_WIDTH);
    for (let column = gridPos.x; column < gridPos.x + gridPos.w; column += 1) {
      for (let line = gridPos.y; line < gridPos.y + gridPos.h; line += 1) {
        expect(taken.get(`${column} ${line}`)).toBeUndefined();
        taken.set(`${column} ${line}`, title);
      }
    }
  }
  const height = Math.max(...panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  expect(taken.size).toBe(GRID_WIDTH * height);
});

it.each(panels.flatMap(({ title, targets }) => targets.map((target) => [title, target] as const)))(
  'names each series of %s by all its labels, and no other',
  (_title, { expr, legendFormat }) => {
    const [, grouped = ''] = / by \(([^)]*)\)/u.exec(expr) ?? [];
    const labels = grouped.split(', ').filter((label) => label !== '' && label !== 'le');
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/gu)].map(([, label]) => label);
    expect(named).toEqual(labels);
  },
);
