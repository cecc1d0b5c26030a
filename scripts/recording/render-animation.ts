/** Animation renderer: writes the screens of a session as one SVG with CSS steps, without a script. */
import { escapeXml, filmStyle } from './film.ts';
import type { Screen, ScreenRun } from './read-screens.ts';

/** Options of an animation. */
export interface AnimationOptions {
  readonly columns: number;
  readonly rows: number;
  readonly title: string;
}

const FONT_PX = 14;
const CELL_PX = 8.4;
const LINE_PX = 20;
const MARGIN_PX = 16;
/** The last screen is read before the animation starts again. */
const LAST_SCREEN_MS = 6_000;

const FOREGROUND = '#d1d7e0';
const BACKGROUND = '#0d1117';
/** The 16 colors of a terminal. */
const COLORS: readonly string[] = [
  '#656c76',
  '#ff7b72',
  '#3fb950',
  '#d29922',
  '#58a6ff',
  '#bc8cff',
  '#39c5cf',
  '#b1bac4',
];

/** Returns the SVG. Viewers that prefer reduced motion see the last screen. */
export function renderAnimation(screens: readonly Screen[], options: AnimationOptions): string {
  const { columns, rows, title } = options;
  const width = columns * CELL_PX + 2 * MARGIN_PX;
  const height = rows * LINE_PX + 2 * MARGIN_PX;
  const ids = new Map<string, string>();
  const frames = screens.map((screen, index) => frameOf(screen, index * height, ids));
  const lines = [...ids].map(([line, id]) => `<text id="${id}">${line}</text>`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>${escapeXml(title)}</title>
<desc>${escapeXml(textOf(screens.at(-1)))}</desc>
<style>
text{font:${FONT_PX}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:${FOREGROUND};white-space:pre}
${COLORS.map((color, index) => `.c${index}{fill:${color}}`).join('')}.b{font-weight:700}.d{opacity:.65}
${filmStyle({ atMs: screens.map(({ atMs }) => atMs), lastMs: LAST_SCREEN_MS }, height)}
</style>
<defs>
${lines.join('\n')}
</defs>
<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>
<svg x="${MARGIN_PX}" width="${columns * CELL_PX}" height="${height}"><g id="film">
${frames.join('\n')}
</g></svg>
</svg>
`;
}

/** A screen refers to its lines, because most of them are on many screens. */
function frameOf({ rows }: Screen, top: number, ids: Map<string, string>): string {
  return rows
    .map((runs, row) => {
      if (runs.length === 0) return '';
      const line = runs.map(spanOf).join('');
      const id = ids.get(line) ?? `l${ids.size}`;
      ids.set(line, id);
      return `<use href="#${id}" y="${top + MARGIN_PX + (row + 0.75) * LINE_PX}"/>`;
    })
    .join('');
}

/** The length holds the columns in place, whatever font the viewer has. */
function spanOf({ column, text, color, isBold, isDim }: ScreenRun): string {
  const names = [color === undefined ? '' : `c${color % 8}`, isBold ? 'b' : '', isDim ? 'd' : '']
    .filter((name) => name !== '')
    .join(' ');
  const at = Number((column * CELL_PX).toFixed(1));
  const length = Number((text.length * CELL_PX).toFixed(1));
  return `<tspan x="${at}" textLength="${length}"${names === '' ? '' : ` class="${names}"`}>${escapeXml(text)}</tspan>`;
}

function textOf(screen: Screen | undefined): string {
  const rows = screen?.rows ?? [];
  return rows
    .map((runs) => runs.reduce((text, run) => text.padEnd(run.column) + run.text, ''))
    .join('\n')
    .trimEnd();
}
