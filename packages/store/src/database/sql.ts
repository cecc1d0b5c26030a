/** Tag of SQL texts, for other packages: the build of the store contains Kysely, which loads as one file. */
export { sql } from 'kysely';
