/** Tabs of a run, with the chosen one in the address. */
import { useEffect, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { useAddressFilters } from '../parts/list/select-field.tsx';

/** A tab with its content, which is rendered when it is chosen. */
export interface Tab {
  /** Value in the address. */
  readonly name: string;
  readonly title: string;
  /** Number next to the title. */
  readonly count?: number;
  readonly content: () => ReactNode;
}

/** Keeps the tab before the chosen one visible. */
const BEFORE_PX = 64;

interface RunTabsProps {
  readonly tabs: readonly Tab[];
  /** Name of the tab that the address leaves out. */
  readonly usual: string;
}

/** Renders the tabs, and the content of the chosen one. */
export function RunTabs({ tabs, usual: usualTab }: RunTabsProps): ReactNode {
  const { get, set } = useAddressFilters();
  const [first] = tabs;
  const usual = tabs.find(({ name }) => name === usualTab) ?? first;
  const chosen = tabs.find(({ name }) => name === get('tab')) ?? usual;
  const shown = chosen?.name;
  const widths = tabs.map((tab) => tab.count).join(' ');
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Scrolls the list of tabs on a narrow screen, without scrolling the page.
    const tab = list.current?.querySelector<HTMLElement>('[aria-selected=true]');
    if (tab) list.current?.scrollTo({ left: tab.offsetLeft - list.current.offsetLeft - BEFORE_PX });
  }, [shown, widths]);
  if (chosen === undefined) return null;
  const choose = ({ name }: Tab): void => set('tab', name === usual?.name ? '' : name);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = tabs[(tabs.indexOf(chosen) + step + tabs.length) % tabs.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    choose(next);
    document.querySelector<HTMLElement>(`#tab-${next.name}`)?.focus();
  };
  return (
    <>
      <div
        ref={list}
        role="tablist"
        aria-label="Parts of the run"
        className="flex gap-1 overflow-x-auto px-3 shadow-[inset_0_-1px_0_var(--color-line)] @max-2xl:pr-8 @max-2xl:[mask-image:linear-gradient(to_right,black_calc(100%-32px),transparent)]"
        onKeyDown={onKeyDown}
      >
        {tabs.map((tab) => (
          <button
            key={tab.name}
            id={`tab-${tab.name}`}
            role="tab"
            aria-selected={tab === chosen}
            aria-controls="tab-panel"
            tabIndex={tab === chosen ? 0 : -1}
            className={`border-b-2 px-2 py-2 text-sm font-medium whitespace-nowrap @2xl:px-3 @max-2xl:min-h-11 ${tab === chosen ? 'border-accent text-ink' : 'border-transparent text-muted hover:text-ink'}`}
            onClick={() => choose(tab)}
          >
            {tab.title}
            {tab.count !== undefined && tab.count > 0 && (
              <span className="ml-1.5 rounded-full bg-hover px-1.5 text-2xs text-muted"> {tab.count}</span>
            )}
          </button>
        ))}
      </div>
      <div
        id="tab-panel"
        role="tabpanel"
        aria-labelledby={`tab-${chosen.name}`}
        className="px-4 pt-5 pb-8 @2xl:px-5"
      >
        {chosen.content()}
      </div>
    </>
  );
}
