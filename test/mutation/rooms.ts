/** Rooms of the mutants: the sources that are changed, and the suites that must notice it. */

/** Sources and their suites, as globs from the root of the checkout. */
export interface Room {
  readonly sources: readonly string[];
  /** Suites beside the sources, and those of `test/` that belong to them. */
  readonly tests: readonly string[];
}

export const ROOMS = {
  output: {
    // With the readers of JSON below it, which its suites try too.
    sources: ['packages/core/src/{json,output}/**/*.ts'],
    // Without `json-bounds`: its texts of 10 MB take seconds with each mutant. `json-limits` has short ones.
    tests: ['packages/core/src/{json,output}/**/!(json-bounds).test.ts'],
  },
  dialects: {
    sources: ['packages/core/src/schema/dialects/**/*.ts'],
    // Without `lowering-work`: its large schemas take a second with each mutant.
    tests: [
      'packages/core/src/schema/dialects/{analysis,impossible}/*.test.ts',
      'packages/core/src/schema/dialects/{dialect-rules,grammar-dialect,impossible-parts-lowering}.test.ts',
      'packages/core/src/schema/dialects/{lower-json-schema,lower-json-schema.property,lowered-forms,lowering-cases}.test.ts',
    ],
  },
  'event-contract': {
    sources: ['packages/core/src/event-contract/**/*.ts'],
    tests: ['packages/core/src/event-contract/**/*.test.ts'],
  },
  client: {
    // Without the hooks: they run in a browser, in `test/console`. Without `ai-sdk`: its tests share a server, on
    // which a mutant leaves turns that take the replies of the next test.
    sources: [
      'packages/client/src/*.ts',
      'packages/client/src/{ai-sdk,state,wire}/*.ts',
      'packages/client/src/react/!(use-*).ts',
    ],
    tests: ['packages/client/src/**/*.test.ts', 'test/client/{client,newer-server,wire-shapes}.test.ts'],
  },
  turn: {
    sources: ['packages/server/src/turn/**/*.ts'],
    tests: ['packages/server/src/turn/**/*.test.ts'],
  },
  store: {
    // On SQLite alone: each test of Postgres takes a database of another process. Without the program of another
    // thread, in which no mutant is switched on.
    sources: [
      'packages/store/src/*.ts',
      'packages/store/src/{database,format,tables}/*.ts',
      'packages/store/src/sqlite/!(checkpoint-thread).ts',
      'packages/store/src/queue/!(pg-boss-jobs).ts',
    ],
    tests: [
      'packages/store/src/**/*.test.ts',
      'test/store/{checkpoints,group-sync,notifications,open-store,queue,refused-writes,store,tables,view,write}.test.ts',
    ],
  },
} as const satisfies Readonly<Record<string, Room>>;

/** Name of a room. */
export type RoomName = keyof typeof ROOMS;
