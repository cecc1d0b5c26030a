/** Icons: lines on a grid of 24, drawn here. Words stay beside them, so they are hidden from screen readers. */
import type { ReactNode } from 'react';

const PATHS = {
  start: 'M4 11l8-7 8 7v8a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1zM10 20v-6h4v6',
  ask: 'M4 20l1-4.5L15.5 5a2.1 2.1 0 0 1 3 0l.5.5a2.1 2.1 0 0 1 0 3L8.5 19zM13.5 7l3.5 3.5',
  chats: 'M4 5h11v8H8l-4 3zM9 16v1h7l4 3V9h-2',
  receipts: 'M6 3h12v18l-3-2-3 2-3-2-3 2zM9.5 8h5M9.5 12h5',
  runs: 'M7 4v16M7 17a3 3 0 0 0 3-3h4a3 3 0 0 0 3-3V9M7 4m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M7 20m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M17 7m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  quality: 'M3 13h4l3-8 4 14 3-6h4',
  stage: 'M4 10h16v10H4zM4 10l1-5 15 2-1 3M9 6l2 4M14 6.5l2 3.5',
  docs: 'M12 6c-2-1.5-5-2-8-1.5V18c3-.5 6 0 8 1.5 2-1.5 5-2 8-1.5V4.5C17 4 14 4.5 12 6zv13.5',
  settings:
    'M4 7h9M17 7h3M4 17h3M11 17h9M15 7m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0M9 17m-2 0a2 2 0 1 0 4 0 2 2 0 1 0-4 0',
  search: 'M11 4a7 7 0 1 0 0 14 7 7 0 1 0 0-14M16 16l4.5 4.5',
  menu: 'M4 6h16M4 12h16M4 18h16',
  theme: 'M20 14a8 8 0 1 1-10-10 6.5 6.5 0 0 0 10 10z',
  valid: 'M5 12.5l4.5 4.5L19 7',
  refused: 'M6 6l12 12M18 6L6 18',
  failed: 'M8 3h8l5 5v8l-5 5H8l-5-5V8zM9.5 9.5l5 5M14.5 9.5l-5 5',
  live: 'M12 3a9 9 0 1 0 9 9',
  draft:
    'M12 3a9 9 0 0 1 4.5 1.2M19.8 7.5a9 9 0 0 1 0 9M16.5 19.8a9 9 0 0 1-9 0M4.2 16.5a9 9 0 0 1 0-9M7.5 4.2',
  waits: 'M12 4l9 16H3zM12 10v4M12 17v.01',
  stopped: 'M7 7h10v10H7z',
  queued: 'M12 3a9 9 0 1 0 0 18 9 9 0 1 0 0-18M12 7v5l3 2',
  braces:
    'M8 4c-2 0-3 1-3 3v2c0 1.5-.5 3-2 3 1.5 0 2 1.5 2 3v2c0 2 1 3 3 3M16 4c2 0 3 1 3 3v2c0 1.5.5 3 2 3-1.5 0-2 1.5-2 3v2c0 2-1 3-3 3',
  inbox: 'M4 13l3-8h10l3 8v6H4zM4 13h5l1 2.5h4l1-2.5h5',
  add: 'M12 5v14M5 12h14',
  rising: 'M12 19V5M6 11l6-6 6 6',
  falling: 'M12 5v14M6 13l6 6 6-6',
  compare: 'M8 5H5v14h3M16 5h3v14h-3M12 3v18M8 12h1M15 12h1',
  save: 'M12 4v11M7 11l5 5 5-5M5 20h14',
  link: 'M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1',
  same: 'M5 9.5h14M5 14.5h14',
  scale: 'M12 4v16M8 20h8M5 7h14M5 7l-2.5 6a3 3 0 0 0 5 0zM19 7l-2.5 6a3 3 0 0 0 5 0z',
  bug: 'M8 9a4 4 0 0 1 8 0v6a4 4 0 0 1-8 0zM8 12H4M20 12h-4M8 8L5 6M16 8l3-2M8 16l-3 2M16 16l3 2M12 11v8',
  tags: 'M4 4h7l9 9-7 7-9-9zM8 8v.01',
  scan: 'M4 8V5a1 1 0 0 1 1-1h3M16 4h3a1 1 0 0 1 1 1v3M20 16v3a1 1 0 0 1-1 1h-3M8 20H5a1 1 0 0 1-1-1v-3M8 9h8M8 12h8M8 15h5',
  plug: 'M9 3v5M15 3v5M6 8h12v4a6 6 0 0 1-12 0zM12 18v3',
  branch: 'M7 4v16M7 14a6 6 0 0 0 6-3c1-2 2-2 4-2M17 9V4',
  commit: 'M12 9a3 3 0 1 0 0 6 3 3 0 1 0 0-6M3 12h6M15 12h6',
  fold: 'M6 9l6 6 6-6',
  copy: 'M9 9h11v11H9zM5 15H4V4h11v1',
  up: 'M4 17l6-6 4 4 6-8M15 7h5v5',
  down: 'M4 7l6 6 4-4 6 8M15 17h5v-5',
} as const;

/** Names of the icons. */
export type IconName = keyof typeof PATHS;

interface IconProps {
  readonly name: IconName;
  /** @default 16 pixels */
  readonly className?: string;
}

export function Icon({ name, className = 'size-4' }: IconProps): ReactNode {
  return (
    <svg
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      className={`shrink-0 ${className}`}
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
