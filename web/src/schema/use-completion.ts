/** Completions of the schema editor: open while a string is typed, chosen with arrows and Enter. */
import { useLayoutEffect, useRef, useState, type KeyboardEvent, type RefObject } from 'react';
import { complete, completionAt, type SchemaCompletion } from './schema-completions.ts';

export interface CompletionList {
  /** Undefined while the list is closed. */
  readonly completion: SchemaCompletion | undefined;
  /** Place of the string, in pixels from the box of the editor. */
  readonly place: { readonly top: number; readonly left: number };
  readonly chosen: number;
  readonly onType: (text: string) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onAccept: (option: string) => void;
  readonly close: () => void;
}

/** Completes the text of a field. */
export function useCompletion(
  field: RefObject<HTMLTextAreaElement | null>,
  text: string,
  onChange: (text: string) => void,
): CompletionList {
  const [completion, setCompletion] = useState<SchemaCompletion>();
  const [chosen, setChosen] = useState(0);
  const [place, setPlace] = useState({ top: 0, left: 0 });
  const caret = useRef<number>(undefined);
  // The caret moves after the new text is in the field.
  useLayoutEffect(() => {
    if (caret.current !== undefined) field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  }, [text, field]);
  const close = (): void => setCompletion(undefined);
  const onAccept = (option: string): void => {
    if (completion === undefined) return;
    const done = complete(text, completion, option);
    caret.current = done.caret;
    onChange(done.text);
    close();
  };
  const onType = (typed: string): void => {
    onChange(typed);
    setChosen(0);
    if (field.current === null) return;
    setPlace(placeOf(field.current));
    setCompletion(completionAt(typed, field.current.selectionStart));
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const { key, ctrlKey, metaKey } = event;
    if (completion === undefined || ctrlKey || metaKey) return;
    const { length } = completion.options;
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setChosen((chosen + step + length) % length);
    else if (key === 'Enter') onAccept(completion.options[chosen] ?? '');
    else if (key === 'Escape') close();
    else return;
    event.preventDefault();
  };
  return { completion, place, chosen, onType, onKeyDown, onAccept, close };
}

/** The field scrolls sideways by itself, and vertically with the editor's box. */
function placeOf(field: HTMLTextAreaElement): CompletionList['place'] {
  const box = field.closest('[data-editor]')?.getBoundingClientRect();
  const { top, left } = field.getBoundingClientRect();
  return { top: top - (box?.top ?? 0), left: left - (box?.left ?? 0) - field.scrollLeft };
}
