/**
 * Diagram as SVG: boxes on a grid, arrows between them, and frames around them. Pure. It follows the theme
 * of its reader: that of the system as an image, and that of the page where it is inlined.
 */

/** What a box is about. `ok` and `bad` are ends, `accent` is the part of Truecast. */
type Tone = 'plain' | 'accent' | 'ok' | 'bad';

/** A box. Its position is that of its middle, in columns and rows. */
export interface Box {
  readonly at: readonly [column: number, row: number];
  readonly title: string;
  /** Smaller lines below the title. @default none */
  readonly lines?: readonly string[];
  /** @default 'plain' */
  readonly tone?: Tone;
}

/** An arrow between two boxes. Between different rows and columns it turns twice, in the middle. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label?: string;
  /** True for one turn, above or below the second box. @default false */
  readonly hasOneTurn?: boolean;
  /** Pixels to the right or down, so that two arrows between the same boxes differ. @default 0 */
  readonly shift?: number;
  /** Runs along a row below or above all boxes between its ends, in rows. @default it is direct */
  readonly along?: number;
}

/** A frame around a part of the grid, with a name at its top. */
export interface Frame {
  readonly from: readonly [column: number, row: number];
  readonly to: readonly [column: number, row: number];
  readonly title: string;
}

/** A diagram. */
export interface Diagram {
  readonly title: string;
  /** The same in words, for a reader who does not see it. */
  readonly description: string;
  readonly columns: number;
  readonly rows: number;
  readonly boxes: Readonly<Record<string, Box>>;
  readonly arrows: readonly Arrow[];
  /** @default none */
  readonly frames?: readonly Frame[];
}

const COLUMN = 196;
const ROW = 96;
const BOX_WIDTH = 164;
const LINE = 17;
/** Width of a character of the title and of a line, in pixels: an upper bound for common fonts. */
const TITLE_CHARACTER = 7.6;
const LINE_CHARACTER = 6.5;

const STYLE = `.dg{--ink:var(--dg-ink,#14171c);--soft:var(--dg-soft,#555e6c);--line:var(--dg-line,#c8ced6);--fill:var(--dg-fill,#f6f7f9);--accent:var(--dg-accent,#5b3df5);--ok:var(--dg-ok,#0b6b3a);--bad:var(--dg-bad,#b42318);font:600 13px system-ui,sans-serif}
@media(prefers-color-scheme:dark){.dg{--ink:var(--dg-ink,#f4f5f9);--soft:var(--dg-soft,#9aa4b5);--line:var(--dg-line,#3a4150);--fill:var(--dg-fill,#171a21);--accent:var(--dg-accent,#a08bff);--ok:var(--dg-ok,#5bd58f);--bad:var(--dg-bad,#ff8a7d)}}
.dg text{fill:var(--ink);text-anchor:middle}.dg .s{fill:var(--soft);font-weight:400;font-size:11.5px}.dg .l{text-anchor:start}
.dg rect{fill:var(--fill);stroke:var(--line);stroke-width:1.2}.dg .f{fill:none;stroke-dasharray:5 4}.dg path{fill:none;stroke:var(--soft);stroke-width:1.4}.dg .h{fill:var(--soft);stroke:none}
.dg .accent{stroke:var(--accent);stroke-width:1.8}.dg .ok{stroke:var(--ok);stroke-width:1.8}.dg .bad{stroke:var(--bad);stroke-width:1.8}`;

/** Returns the SVG. Throws if a text is wider than its box. */
export function drawDiagram({
  title,
  description,
  columns,
  rows,
  boxes,
  arrows,
  frames = [],
}: Diagram): string {
  const [width, height] = [columns * COLUMN, rows * ROW];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" class="dg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    `<desc>${escaped(description)}</desc>`,
    `<style>${STYLE}</style>`,
    ...frames.map(drawFrame),
    ...arrows.map((arrow) => drawArrow(arrow, boxes)),
    ...Object.values(boxes).map(drawBox),
    '</svg>\n',
  ].join('\n');
}

function drawFrame({ from, to, title }: Frame): string {
  const [x, y] = [from[0] * COLUMN, from[1] * ROW];
  const [width, height] = [(to[0] - from[0]) * COLUMN, (to[1] - from[1]) * ROW];
  return `<rect class="f" x="${x}" y="${y}" width="${width}" height="${height}" rx="12"/><text class="s l" x="${x + 12}" y="${y + 18}">${escaped(title)}</text>`;
}

function drawBox({ at, title, lines = [], tone = 'plain' }: Box): string {
  for (const [text, size] of [
    [title, TITLE_CHARACTER] as const,
    ...lines.map((line) => [line, LINE_CHARACTER] as const),
  ]) {
    if (text.length * size > BOX_WIDTH - 8) throw new Error(`\`${text}\` is wider than its box.`);
  }
  const [x, y] = middleOf(at);
  const height = heightOf(lines);
  const first = y - (lines.length * LINE) / 2 + 4.5;
  return [
    `<rect class="${tone}" x="${x - BOX_WIDTH / 2}" y="${y - height / 2}" width="${BOX_WIDTH}" height="${height}" rx="9"/>`,
    `<text x="${x}" y="${first}">${escaped(title)}</text>`,
    ...lines.map(
      (line, index) => `<text class="s" x="${x}" y="${first + (index + 1) * LINE}">${escaped(line)}</text>`,
    ),
  ].join('');
}

type Point = readonly [x: number, y: number];

function drawArrow(arrow: Arrow, boxes: Diagram['boxes']): string {
  const { from, to, label, along } = arrow;
  const [start, end] = [boxOf(boxes, from), boxOf(boxes, to)];
  const points = along === undefined ? directLine(start, end, arrow) : lineAlong(start, end, along);
  const [before = [0, 0], last = [0, 0]] = points.slice(-2);
  const path = points.map(([x, y], index) => `${index === 0 ? 'M' : 'L'}${x} ${y}`).join('');
  return [
    `<path d="${path}"/>`,
    headAt(before, last),
    ...(label === undefined ? [] : [labelAt(points, label)]),
  ].join('');
}

function directLine(start: Box, end: Box, { shift = 0, hasOneTurn = false }: Arrow): readonly Point[] {
  const [[x1, y1], [x2, y2]] = [middleOf(start.at), middleOf(end.at)];
  const [right, down] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];
  const [top, bottom] = [y1 + (down * heightOf(start.lines)) / 2, y2 - (down * heightOf(end.lines)) / 2];
  if (right === 0) {
    return [
      [x1 + shift, top],
      [x2 + shift, bottom],
    ];
  }
  const [out, into] = [x1 + (right * BOX_WIDTH) / 2, x2 - (right * BOX_WIDTH) / 2];
  if (down === 0) {
    return [
      [out, y1 + shift],
      [into, y2 + shift],
    ];
  }
  if (hasOneTurn) {
    return [
      [out, y1],
      [x2, y1],
      [x2, bottom],
    ];
  }
  const middle = (out + into) / 2;
  return [
    [out, y1],
    [middle, y1],
    [middle, y2],
    [into, y2],
  ];
}

/** From below (or above) the first box, along a row, to below (or above) the second. */
function lineAlong(start: Box, end: Box, row: number): readonly Point[] {
  const [[x1, y1], [x2, y2]] = [middleOf(start.at), middleOf(end.at)];
  const y = row * ROW;
  const side = Math.sign(y - y1);
  return [
    [x1, y1 + (side * heightOf(start.lines)) / 2],
    [x1, y],
    [x2, y],
    [x2, y2 + (side * heightOf(end.lines)) / 2],
  ];
}

function headAt([x1, y1]: Point, [x2, y2]: Point): string {
  const [right, down] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];
  const [backX, backY] = [x2 - right * 8, y2 - down * 8];
  const corners = [
    [x2, y2],
    [backX + down * 4, backY + right * 4],
    [backX - down * 4, backY - right * 4],
  ];
  return `<path class="h" d="M${corners.map(([x, y]) => `${x} ${y}`).join('L')}z"/>`;
}

/** Writes the label: above the last horizontal part of a line, or to the right of a vertical line. */
function labelAt(points: readonly Point[], label: string): string {
  const parts = points.slice(1).map((point, index) => [points[index] ?? point, point] as const);
  const flat = parts.findLast(([[, y1], [, y2]]) => y1 === y2);
  const [[x1, y1], [x2, y2]] = flat ??
    parts[0] ?? [
      [0, 0],
      [0, 0],
    ];
  if (flat === undefined) {
    return `<text class="s l" x="${x1 + 7}" y="${(y1 + y2) / 2 + 4}">${escaped(label)}</text>`;
  }
  return `<text class="s" x="${(x1 + x2) / 2 - 3}" y="${y1 - 6}">${escaped(label)}</text>`;
}

function boxOf(boxes: Diagram['boxes'], name: string): Box {
  const box = boxes[name];
  if (box === undefined) throw new Error(`No box is named \`${name}\`.`);
  return box;
}

function middleOf([column, row]: Box['at']): Point {
  return [(column + 0.5) * COLUMN, (row + 0.5) * ROW];
}

function heightOf(lines: readonly string[] = []): number {
  return 36 + lines.length * LINE;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
