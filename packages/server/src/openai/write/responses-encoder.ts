/** Response encoder of the Responses API: one object, or its events in order. */
import { randomUUID } from 'node:crypto';
import type { ToolCallPart } from '@truecast/client/internal/wire/message-parts';
import { piecesOf, type AnswerEncoder } from './answer-encoder.ts';
import {
  callItem,
  endedResponse,
  incompleteReason,
  messageItem,
  refusalContent,
  responseFrame,
  textContent,
  textInput,
  type OutputItem,
  type ResponseFrame,
} from './response-object.ts';
import type { WireAnswer } from '../wire/wire-answer.ts';
import type { WireFailure } from '../wire/wire-failure.ts';
import type { WireRequest } from '../wire/wire-request.ts';

/**
 * Creates the encoder of one answer.
 *
 * created → in_progress → for each item: output_item.added → its part and deltas → output_item.done
 * → completed | incomplete | failed
 */
export function responsesEncoder(
  request: WireRequest,
  body: Readonly<Record<string, unknown>>,
): AnswerEncoder {
  const frame = responseFrame(request, body);
  const { toolForms } = request;
  const stream = new ResponseStream(frame, toolForms);
  return {
    id: frame.id,
    whole: (answer) => endedResponse(frame, answer, itemsOf(answer, toolForms)),
    begin: () => stream.begin(),
    // Items of reasoning have summaries, which a model's text is not.
    reasoning: () => '',
    text: (delta) => stream.text(delta),
    end: (answer) => stream.end(answer),
    failed: (failure) => stream.failed(failure),
  };
}

function itemsOf({ text, calls, refusal }: WireAnswer, forms: WireRequest['toolForms']): OutputItem[] {
  const content = refusal === undefined ? textContent(text) : refusalContent(refusal);
  const isWithoutMessage = text === '' && refusal === undefined && calls.length > 0;
  const message = isWithoutMessage ? [] : [messageItem(newId('msg'), content)];
  return [...message, ...calls.map((call) => callItem(newId('fc'), call, forms.get(call.tool_name)))];
}

function newId(prefix: string): string {
  return `${prefix}_${randomUUID()}`;
}

/** Numbers the events and tracks the streamed text. */
class ResponseStream {
  readonly #frame: ResponseFrame;
  readonly #forms: WireRequest['toolForms'];
  readonly #messageId = newId('msg');
  readonly #output: OutputItem[] = [];
  #sequence = 0;
  #told = '';
  #hasMessage = false;

  constructor(frame: ResponseFrame, forms: WireRequest['toolForms']) {
    this.#frame = frame;
    this.#forms = forms;
  }

  begin(): string {
    const response = { ...this.#frame, status: 'in_progress', output: [], usage: null };
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  text(delta: string): string {
    const opening = this.#hasMessage ? '' : this.#openMessage();
    this.#told += delta;
    return opening + this.#event('response.output_text.delta', { ...this.#place(), delta, logprobs: [] });
  }

  end(answer: WireAnswer): string {
    const refusal = this.#told === '' && answer.refusal !== undefined ? this.#refuse(answer.refusal) : '';
    const rest = piecesOf(answer.text.slice(this.#told.length)).map((piece) => this.text(piece));
    const isEmpty = !this.#hasMessage && refusal === '' && answer.calls.length === 0;
    const opening = isEmpty ? this.#openMessage() : '';
    // A refusal that was streamed as text cannot be taken back.
    const closing = this.#hasMessage ? this.#closeMessage(answer.refusal ?? answer.text) : '';
    const calls = answer.calls.map((call) => this.#call(call));
    const response = endedResponse(this.#frame, answer, this.#output);
    const type = incompleteReason(answer) === undefined ? 'response.completed' : 'response.incomplete';
    return [refusal, ...rest, opening, closing, ...calls, this.#event(type, { response })].join('');
  }

  failed({ code, message }: WireFailure): string {
    const error = { code, message };
    const response = { ...this.#frame, status: 'failed', error, output: this.#output, usage: null };
    return this.#event('response.failed', { response });
  }

  /** Returns a whole message with a refusal. */
  #refuse(refusal: string): string {
    const part = refusalContent(refusal);
    const item = messageItem(this.#messageId, part);
    this.#output.push(item);
    return (
      this.#event('response.output_item.added', {
        output_index: 0,
        item: messageItem(this.#messageId, part, false),
      }) +
      this.#event('response.content_part.added', { ...this.#place(), part: refusalContent('') }) +
      this.#event('response.refusal.delta', { ...this.#place(), delta: refusal }) +
      this.#event('response.refusal.done', { ...this.#place(), refusal }) +
      this.#event('response.content_part.done', { ...this.#place(), part }) +
      this.#event('response.output_item.done', { output_index: 0, item })
    );
  }

  #openMessage(): string {
    this.#hasMessage = true;
    const item = messageItem(this.#messageId, textContent(''), false);
    return (
      this.#event('response.output_item.added', { output_index: 0, item }) +
      this.#event('response.content_part.added', { ...this.#place(), part: textContent('') })
    );
  }

  #closeMessage(text: string): string {
    const item = messageItem(this.#messageId, textContent(text));
    this.#output.push(item);
    return (
      this.#event('response.output_text.done', { ...this.#place(), text, logprobs: [] }) +
      this.#event('response.content_part.done', { ...this.#place(), part: textContent(text) }) +
      this.#event('response.output_item.done', { output_index: 0, item })
    );
  }

  #call(call: ToolCallPart): string {
    const id = newId('fc');
    const output_index = this.#output.length;
    const place = { item_id: id, output_index };
    const form = this.#forms.get(call.tool_name);
    const item = callItem(id, call, form);
    this.#output.push(item);
    const isText = form?.isText === true;
    const whole = isText ? textInput(call.args) : call.args;
    const name = isText ? 'response.custom_tool_call_input' : 'response.function_call_arguments';
    const done = isText ? { input: whole } : { name: form?.name ?? call.tool_name, arguments: whole };
    return (
      this.#event('response.output_item.added', { output_index, item: callItem(id, call, form, false) }) +
      this.#event(`${name}.delta`, { ...place, delta: whole }) +
      this.#event(`${name}.done`, { ...place, ...done }) +
      this.#event('response.output_item.done', { output_index, item })
    );
  }

  #place(): object {
    return { item_id: this.#messageId, output_index: 0, content_index: 0 };
  }

  #event(type: string, value: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence, ...value });
    this.#sequence += 1;
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}
