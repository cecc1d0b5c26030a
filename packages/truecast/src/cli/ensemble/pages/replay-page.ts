/** Page of a run: its lines with a scrubber, as one file. Pure. */
import { escapeHtml, pageOf } from '../../pages/page-shell.ts';
import { REPLAY_SCRIPT, REPLAY_STYLE } from './replay-assets.ts';

/** One line of a run. */
export interface ReplayLine {
  readonly turn: number;
  readonly actor: string;
  readonly kind: string;
  readonly text: string;
  /** Further fields, as text. */
  readonly fields: Readonly<Record<string, string>>;
  /** How the answer was obtained. Empty for a line that no model wrote. */
  readonly how: string;
}

/** A run to show. */
export interface ReplayRun {
  readonly title: string;
  readonly goal: string;
  /** The seed, and the model that all members share. */
  readonly facts: string;
  /** A member's model is empty if `facts` names it. */
  readonly cast: readonly { readonly name: string; readonly role: string; readonly model: string }[];
  readonly lines: readonly ReplayLine[];
  /** Description of the run's end. */
  readonly ending: string;
}

/** Returns the page. Without a script it shows all lines. */
export function replayPage({ title, goal, facts, cast, lines, ending }: ReplayRun): string {
  const seats = new Map(cast.map(({ name }, index) => [name, index]));
  const body = `<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(goal)}</p>
<p class="soft">${escapeHtml(facts)}</p>
<header class="stage">
<form class="controls" hidden>
<button type="button" id="play" aria-pressed="false">Play</button>
<button type="button" id="back" aria-label="Previous line">‹</button>
<input type="range" id="at" min="0" max="${Math.max(0, lines.length - 1)}" value="0" aria-label="Position in the run">
<button type="button" id="next" aria-label="Next line">›</button>
<output id="where"></output>
</form>
<ul class="cast">${cast.map((member, index) => castItem(member, index)).join('')}</ul>
</header>
<ol class="lines">${lines.map((line) => lineItem(line, seats.get(line.actor))).join('')}</ol>
<p class="ending">${escapeHtml(ending)}</p>`;
  return pageOf({ title, body, style: REPLAY_STYLE, script: REPLAY_SCRIPT });
}

function castItem({ name, role, model }: ReplayRun['cast'][number], seat: number): string {
  return `<li data-name="${escapeHtml(name)}" class="${seatClass(seat)}"><b>${escapeHtml(name)}</b> <span class="soft">${escapeHtml([role, model].filter((fact) => fact !== '').join(' · '))}</span></li>`;
}

function lineItem({ turn, actor, kind, text, fields, how }: ReplayLine, seat: number | undefined): string {
  const notes = [
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
    ...(how === '' ? [] : [how]),
  ];
  const below = notes.length === 0 ? '' : `<p class="soft notes">${escapeHtml(notes.join(' · '))}</p>`;
  const tone = kind === 'judge.verdict' ? ' verdict' : '';
  return `<li data-turn="${turn}" data-name="${escapeHtml(actor)}" class="${seatClass(seat)}${tone}"><p class="who"><b>${escapeHtml(actor)}</b> <span class="soft">${escapeHtml(kind)} · turn ${turn}</span></p><p>${escapeHtml(text)}</p>${below}</li>`;
}

function seatClass(seat: number | undefined): string {
  return seat === undefined ? 'seat' : `seat s${seat % 6}`;
}
