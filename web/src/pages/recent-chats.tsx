/** The latest chats, on the start page. */
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { ChatRows } from '../chat/chat-rows.tsx';
import { useSession } from '../session/session.tsx';

const SHOWN = 5;

/** Renders the rows, or nothing on a server without chats. */
export function RecentChats(): ReactNode {
  const { client } = useSession();
  const { data } = useQuery({
    queryKey: ['chats', 'recent'],
    queryFn: ({ signal }) => client.listChats({ limit: SHOWN, signal }),
  });
  if (data === undefined || data.chats.length === 0) return null;
  return (
    <section aria-label="Recent chats" className="mt-8">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 className="font-semibold">Recent chats</h2>
        <Link href="/chats" className="text-accent underline">
          All chats
        </Link>
      </div>
      <ChatRows chats={data.chats} />
    </section>
  );
}
