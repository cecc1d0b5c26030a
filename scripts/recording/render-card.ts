/** Card renderer: writes the states of one answer as one SVG with CSS steps, in the colors of the console. */
import { escapeXml, filmStyle } from './film.ts';

/** The card at one time. */
export interface CardState {
  readonly atMs: number;
  readonly state: 'waiting' | 'draft' | 'refused' | 'valid';
  /** Fields that have a value so far, as JSON. */
  readonly fields: Readonly<Record<string, string>>;
  /** Line below the name. */
  readonly note: string;
  /** The field that was refused, and why. */
  readonly issue?: { readonly name: string; readonly text: string };
  /** Refused attempts so far, and the seal. */
  readonly lines: readonly string[];
}

/** Names of the card and of its fields, in order. */
export interface CardOptions {
  readonly title: string;
  readonly name: string;
  readonly fields: readonly string[];
}

const WIDTH = 560;
const ROW = 32;
const HEAD = 68;
const LINE = 28;
/** A refusal and the seal. */
const MAX_LINES = 2;
const LAST_MS = 5_000;
const MAX_CHARS = 40;
const VALUE_X = 96;

const WORDS = { waiting: 'waiting', draft: 'draft', refused: 'refused', valid: 'valid' } as const;

/** Returns the SVG. */
export function renderCard(states: readonly CardState[], options: CardOptions): string {
  const height = HEAD + options.fields.length * ROW + MAX_LINES * LINE + 16;
  const frames = states.map((state, index) => frameOf(state, index * height, height, options));
  const last = states.at(-1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escapeXml(options.title)}</title>
<desc>${escapeXml([...Object.entries(last?.fields ?? {}).map(([name, value]) => `${name}: ${value}`), ...(last?.lines ?? [])].join('\n'))}</desc>
<style>
:root{--page:#fff;--ink:#14171c;--muted:#5a6370;--line:#e6e9ee;--edge:#d5dae1;--live:#4f31e6;--live-soft:#f1eeff;--ok:#0b6b3a;--ok-soft:#eaf8f0;--ok-edge:#17935a;--bad:#b42318;--bad-soft:#fdf0ee;--bad-edge:#d6392d}
@media (prefers-color-scheme:dark){:root{--page:#0f1115;--ink:#eceef4;--muted:#98a2b3;--line:#22262f;--edge:#303643;--live:#b3a3ff;--live-soft:#1d1a35;--ok:#5bd58f;--ok-soft:#0f2119;--ok-edge:#2fae6e;--bad:#ff8a7d;--bad-soft:#261416;--bad-edge:#f0685c}}
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:var(--ink);white-space:pre}
.s{font-family:Inter,system-ui,sans-serif}.n{font-weight:600;font-size:14px}.m{fill:var(--muted)}.t{font-size:12px}
.card{fill:var(--page);stroke:var(--edge)}.valid .card{stroke:var(--ok-edge)}.refused .card{stroke:var(--bad-edge)}
.rule{stroke:var(--line)}.empty{fill:var(--line)}.badge{fill:var(--line)}
.draft .badge{fill:var(--live-soft)}.draft .word{fill:var(--live)}
.refused .badge{fill:var(--bad-soft)}.refused .word,.bad{fill:var(--bad)}
.valid .badge{fill:var(--ok-soft)}.valid .word,.ok{fill:var(--ok)}
.sign{fill:none;stroke:var(--edge);stroke-dasharray:3 3}.valid .sign{fill:var(--ok-edge);stroke:none}.tick{fill:none;stroke:#fff;stroke-width:2.4}
.cross{fill:var(--bad-soft)}
${filmStyle({ atMs: states.map(({ atMs }) => atMs), lastMs: LAST_MS }, height)}
</style>
<svg width="${WIDTH}" height="${height}"><g id="film">
${frames.join('\n')}
</g></svg>
</svg>
`;
}

function frameOf(card: CardState, top: number, height: number, { name, fields }: CardOptions): string {
  const word = WORDS[card.state];
  const badge = word.length * 7 + 20;
  const sign =
    card.state === 'valid'
      ? '<path class="tick" d="M28 35l5 5 9-10"/>'
      : '<text class="m" x="27" y="39">{}</text>';
  return `<g class="${card.state}" transform="translate(0 ${top})"><rect class="card" x=".5" y=".5" width="${WIDTH - 1}" height="${height - 1}" rx="12"/><circle class="sign" cx="35" cy="35" r="17"/>${sign}<text class="n" x="64" y="31">${escapeXml(name)}</text><text class="s t m" x="64" y="49">${escapeXml(card.note)}</text><rect class="badge" x="${WIDTH - badge - 16}" y="23" width="${badge}" height="24" rx="12"/><text class="s t word" x="${WIDTH - 16 - badge / 2}" y="39" text-anchor="middle">${word}</text><path class="rule" d="M0 ${HEAD}h${WIDTH}"/>${fields.map((field, row) => fieldOf(card, field, HEAD + row * ROW)).join('')}${linesOf(card.lines, HEAD + fields.length * ROW + 8)}</g>`;
}

function fieldOf({ fields, issue }: CardState, name: string, top: number): string {
  const y = top + 21;
  const value = fields[name];
  const key = `<text class="m" x="20" y="${y}">${escapeXml(name)}</text>`;
  if (value === undefined) {
    return `${key}<rect class="empty" x="${VALUE_X}" y="${top + 12}" width="120" height="9" rx="4"/>`;
  }
  const text = value.length > MAX_CHARS ? `${value.slice(0, MAX_CHARS - 1)}…` : value;
  if (issue?.name !== name) return `${key}<text x="${VALUE_X}" y="${y}">${escapeXml(text)}</text>`;
  return `<rect class="cross" x="8" y="${top + 3}" width="${WIDTH - 16}" height="${ROW - 6}" rx="6"/>${key}<text class="bad" x="${VALUE_X}" y="${y}">${escapeXml(text)}<tspan class="s t" dx="14">${escapeXml(issue.text)}</tspan></text>`;
}

function linesOf(lines: readonly string[], top: number): string {
  if (lines.length === 0) return '';
  const rows = lines.map((line, row) => {
    const look = line.startsWith('×') ? 'bad' : 'ok';
    return `<text class="t ${look}" x="20" y="${top + 19 + row * LINE}">${escapeXml(line)}</text>`;
  });
  return `<path class="rule" d="M0 ${top}h${WIDTH}"/>${rows.join('')}`;
}
