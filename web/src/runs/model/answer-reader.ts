/**
 * Answer reader: the growing draft of a live run's answer and its attempts, from the events of the run.
 * A piece of text costs constant work, and all copies of a draft together a multiple of the last one.
 */
import { copyJson } from '@truecast/core/internal/json/scan/partial-builder';
import { JsonReader } from '@truecast/core/internal/output/scan/json-reader';
import { MatchScanner } from '@truecast/core/internal/output/scan/match-scanner';
import { PreviewPace } from '@truecast/core/internal/output/scan/preview-pace';
import { createTagFinder, type TagFinder } from '@truecast/core/internal/output/scan/tag-finder';
import { withGot, withoutGot } from '@truecast/core/internal/output/validate/describe-refusal';
import type { RunEventView } from '@truecast/client/internal/wire/kept-run';
import type { AnswerAttempt } from '../../value/value-state.ts';

/** The members of an event from which the answer is read. */
interface AnswerEvent extends Pick<RunEventView, 'at' | 'name' | 'text' | 'issues'> {
  readonly type: string;
}

/** An answer that is not sealed yet. */
export interface LiveAnswer {
  /** Not validated. Undefined until the agent's turn has begun a value. */
  readonly draft: unknown;
  readonly attempts: readonly AnswerAttempt[];
}

export const NO_ANSWER: LiveAnswer = { draft: undefined, attempts: [] };

/** A longer answer has no draft, in UTF-16 units. */
const MAX_CHARS = 1_000_000;

/** The text of one turn of the agent, in which the last match is the answer. */
interface Turn {
  readonly scanner: MatchScanner;
  readonly finder: TagFinder;
  readonly pace: PreviewPace;
  /** Number of the preview that was read last. */
  draft: number;
}

/** Takes the events of one run, each once. */
export class AnswerReader {
  readonly #tag: string | undefined;
  readonly #now: () => number;
  #turn: Turn | undefined;
  #answer = NO_ANSWER;

  /** @param tag - undefined if the answer does not come as text: then only attempts are read */
  constructor(tag: string | undefined, now: () => number = () => performance.now()) {
    this.#tag = tag;
    this.#now = now;
    this.#turn = this.#newTurn();
  }

  /** Returns the answer so far: the same object if nothing of it changed. */
  read(events: readonly AnswerEvent[]): LiveAnswer {
    let isDue = false;
    for (const event of events) isDue = this.#take(event, isDue);
    if (isDue) this.#answer = { ...this.#answer, draft: this.#value() };
    return this.#answer;
  }

  /** Returns true if the draft has to be copied. */
  #take(event: AnswerEvent, isDue: boolean): boolean {
    switch (event.type) {
      case 'text':
        return this.#push(event.text ?? '') || isDue;
      case 'attempt':
        this.#endTurn(event);
        return false;
      case 'iteration':
      case 'start':
        this.#restart();
        return false;
      default:
        return this.#catchUp() || isDue;
    }
  }

  #newTurn(): Turn | undefined {
    if (this.#tag === undefined) return undefined;
    const scanner = new MatchScanner(this.#tag, MAX_CHARS, JsonReader);
    return {
      scanner,
      finder: createTagFinder(this.#tag, scanner),
      pace: new PreviewPace(this.#now),
      draft: 0,
    };
  }

  #push(text: string): boolean {
    const turn = this.#turn;
    if (turn === undefined) return false;
    const wasOpen = turn.scanner.wantsClosings;
    turn.finder.push(text);
    const { draft, value } = turn.scanner.partial();
    const isGrown = value !== undefined && (wasOpen || draft !== turn.draft);
    turn.draft = draft;
    return isGrown && turn.pace.grow(text.length);
  }

  /** A pause in the text shows its last pieces. */
  #catchUp(): boolean {
    const pace = this.#turn?.pace;
    if (pace?.isBehind !== true) return false;
    pace.catchUp();
    return true;
  }

  #value(): unknown {
    const value = this.#turn?.scanner.partial().value;
    return value === undefined ? undefined : copyJson(value);
  }

  /** A turn that begins again has no draft. */
  #restart(): void {
    this.#turn = this.#newTurn();
    if (this.#answer.draft !== undefined) this.#answer = { ...this.#answer, draft: undefined };
  }

  #endTurn(event: AnswerEvent): void {
    this.#turn?.finder.end();
    const attempts = [...this.#answer.attempts, attemptOf(event, this.#value())];
    this.#answer = { draft: undefined, attempts };
    this.#turn = this.#newTurn();
  }
}

/** Without broken rules, the message says why there is no value. */
function attemptOf({ at, name = '', text = '', issues }: AnswerEvent, value: unknown): AnswerAttempt {
  // An open set of codes: it has those of newer servers too.
  const code = name as AnswerAttempt['attempt']['code'];
  if (name === 'ok') return { attempt: { code }, value, at };
  if (issues === undefined) return { attempt: { code, issues: [{ path: '', rule: text }] }, at };
  const shown = issues.map((issue) => ({
    path: issue.path,
    rule: withoutGot(issue.rule, withGot(issue, value).got),
  }));
  return { attempt: { code, issues: shown }, value, at };
}
