/** Text of a working agent. The page shows its end and follows it. */
import { useState, type ReactNode } from 'react';
import { FollowEnd } from '../chat/transcript/follow-end.tsx';
import { clockTime, countText } from '../parts/format.ts';
import { useLostAt } from '../session/connection.ts';
import type { FollowedEvents } from './model/followed-events.ts';

/** More text is shown on request. */
const SHOWN_CHARS = 20_000;

interface LiveProps {
  readonly followed: FollowedEvents;
  /** Shown instead of the agent's activity. */
  readonly activity?: string | undefined;
}

/** Renders the text, and the agent's current activity after it. */
export function LiveTranscript({ followed, activity }: LiveProps): ReactNode {
  const { text, events } = followed;
  const [isWhole, setWhole] = useState(false);
  const hidden = isWhole ? 0 : Math.max(0, text.length - SHOWN_CHARS);
  return (
    <section aria-label="Transcript">
      <h2 className="sr-only">Transcript</h2>
      {hidden > 0 && (
        <button className="button mb-2" onClick={() => setWhole(true)}>
          Show {countText(hidden)} earlier characters
        </button>
      )}
      {text !== '' && (
        <div className="panel bg-well p-4 font-mono text-code leading-[1.6] break-words whitespace-pre-wrap">
          {text.slice(hidden)}
        </div>
      )}
      <Activity followed={followed} activity={activity} />
      <FollowEnd isLive version={events.length} steps={events.length} />
    </section>
  );
}

function Activity({ followed: { events }, activity = 'The agent works.' }: LiveProps): ReactNode {
  const lostAt = useLostAt();
  const last = events.at(-1);
  return (
    <p className="mt-3 flex min-w-0 items-baseline gap-2 text-sm text-muted">
      <span
        className={`size-2 shrink-0 rounded-full ${lostAt === undefined ? 'bg-accent' : 'bg-warn'}`}
        aria-hidden="true"
      />
      <span className="min-w-0 truncate">
        {lostAt !== undefined && `as of ${clockTime(new Date(lostAt).toISOString())} · `}
        {last?.type === 'tool_call' ? (
          <>
            runs <b>{last.name}</b> <code>{last.text}</code>
          </>
        ) : (
          activity
        )}
      </span>
    </p>
  );
}
