/** Actions of the open page for the palette: its header's buttons and links, and marked buttons. */

export interface PageAction {
  readonly name: string;
  readonly run: () => void;
}

/** The attribute can contain a name that is clearer than the text of the button. */
const ACTIONS = '#page > header :is(a, button), #page [data-action]';

/** Returns the actions that can be used now, each name once. */
export function readPageActions(): readonly PageAction[] {
  const actions = new Map<string, PageAction>();
  for (const element of document.querySelectorAll<HTMLElement>(ACTIONS)) {
    const name = element.dataset['action'] || element.ariaLabel || element.textContent.trim();
    const isUsable = element.checkVisibility() && !element.matches(':disabled');
    if (name !== '' && isUsable && !actions.has(name))
      actions.set(name, { name, run: () => element.click() });
  }
  return [...actions.values()];
}
