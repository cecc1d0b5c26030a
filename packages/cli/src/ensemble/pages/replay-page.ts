/** Page of a run: its lines with a scrubber, as one file. Pure. */
import { escapeHtml, pageOf } from '../../pages/page-shell.ts';

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

const REPLAY_STYLE = `
.controls { display: flex; gap: .5rem; align-items: center; }
.stage { position: sticky; top: 0; padding: .75rem 0; background: var(--page); z-index: 1; }
.controls[hidden] { display: none; }
.controls input { flex: 1; min-width: 0; accent-color: var(--accent); }
.controls output { min-width: 8.5em; text-align: right; font-variant-numeric: tabular-nums; color: var(--soft); white-space: nowrap; }
button { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .3rem .8rem; min-height: 2.5rem; cursor: pointer; }
button:hover { border-color: var(--accent); }
#play { min-width: 5.2em; }
.cast, .lines { list-style: none; padding: 0; }
.cast { display: flex; flex-wrap: wrap; gap: .4rem; margin: .5rem 0 0; }
.cast li { border: 1px solid var(--line); border-radius: 99px; padding: .15rem .8rem; font-size: .9rem; }
.cast .speaks { border-color: var(--voice); box-shadow: inset 0 0 0 1px var(--voice); }
.seat { --voice: var(--soft); }
.s0 { --voice: light-dark(#2f4fd0, #93a8ff); } .s1 { --voice: light-dark(#a03a13, #ff9d76); } .s2 { --voice: light-dark(#17703a, #5fd08a); }
.s3 { --voice: light-dark(#8b2a8b, #e79be7); } .s4 { --voice: light-dark(#7a5600, #e5bd52); } .s5 { --voice: light-dark(#0d6b78, #62cbd9); }
.seat b { color: var(--voice); }
.lines li { background: var(--card); border: 1px solid var(--line); border-left: .25rem solid var(--voice); border-radius: .5rem; padding: .6rem .9rem; margin: .5rem 0; overflow-wrap: anywhere; scroll-margin: 9rem 0 2rem; }
.lines p { margin: .1rem 0; }
.lines .soft { font-size: .85rem; }
.lines .verdict { border-width: 2px; border-left-width: .25rem; border-color: var(--voice); }
.lines .now { box-shadow: 0 0 0 2px var(--voice); }
.ending { font-weight: 600; }
@media (max-width: 30rem) { .cast .soft { display: none; } .cast li { padding: .15rem .6rem; } .controls { flex-wrap: wrap; } .controls input { order: 1; flex-basis: 100%; } .controls output { margin-left: auto; } }`;

/** Script of the page: arrow keys and the scrubber show the run line by line. */
const REPLAY_SCRIPT = `
const lines = [...document.querySelectorAll('.lines li')];
const cast = [...document.querySelectorAll('.cast li')];
const [at, play, where, ending] = ['#at', '#play', '#where', '.ending'].map((name) => document.querySelector(name));
let timer;
const show = (index, scrolls = true) => {
  const now = Math.min(Math.max(index, 0), lines.length - 1);
  at.value = now;
  lines.forEach((line, place) => { line.hidden = place > now; line.classList.toggle('now', place === now); });
  const { turn = '0', name = '' } = lines[now]?.dataset ?? {};
  cast.forEach((seat) => seat.classList.toggle('speaks', seat.dataset.name === name));
  where.value = 'turn ' + turn + ' · ' + (now + 1) + '/' + lines.length;
  ending.hidden = now < lines.length - 1;
  const smooth = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'auto' : 'smooth';
  if (scrolls) lines[now]?.scrollIntoView({ block: 'nearest', behavior: smooth });
  if (now === lines.length - 1) pause();
};
const pause = () => { clearInterval(timer); timer = undefined; play.textContent = 'Play'; play.setAttribute('aria-pressed', 'false'); };
const start = () => {
  if (+at.value >= lines.length - 1) show(0);
  timer = setInterval(() => show(+at.value + 1), 1600);
  play.textContent = 'Pause';
  play.setAttribute('aria-pressed', 'true');
};
at.addEventListener('input', () => { pause(); show(+at.value); });
play.addEventListener('click', () => (timer === undefined ? start() : pause()));
for (const [id, step] of [['#back', -1], ['#next', 1]])
  document.querySelector(id).addEventListener('click', () => { pause(); show(+at.value + step); });
addEventListener('keydown', (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (step === undefined || event.target === at) return;
  pause();
  show(+at.value + step);
});
document.querySelector('.controls').hidden = false;
show(lines.length - 1, false);`;
