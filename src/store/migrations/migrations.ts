/** Owns the list of the migrations, oldest first: a new one is a file and a line here. */
import { eventsMigration } from './0001-events.ts';
import { chatsMigration } from './0002-chats.ts';
import { jobsMigration } from './0003-jobs.ts';
import type { Migration } from './migration.ts';

/** Every step from an empty database to the one that this program uses. */
export const MIGRATIONS: readonly Migration[] = [eventsMigration, chatsMigration, jobsMigration];
