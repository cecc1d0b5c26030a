/** Guarantees and routes: the rows and the columns of the table, and the forms of a cell. */

/** Routes by which users meet Truecast. */
export const ROUTES = [
  'run/none',
  'run/bubblewrap',
  'run/podman',
  'kept',
  'batch',
  'merge',
  'generate',
  'ensemble',
  'chat',
  'wire',
  'runs',
  'command',
] as const;

/** One route. */
export type Route = (typeof ROUTES)[number];

/** Routes that ask an agent or a model themselves. */
export type AskingRoute = Exclude<Route, 'merge' | 'runs'>;

/** State of a guarantee on a route. */
export type Cell =
  /** A test holds it. The text is the title of the test. */
  | { readonly held: string }
  /** Not built. The test with this title fails, and must fail until it is built. */
  | { readonly open: string; readonly because: string }
  /** Not built, and without a test. */
  | { readonly planned: string }
  | { readonly notApplicable: string }
  | { readonly notPromised: string; readonly see: string };

/** Guarantees in words for users, by id. */
export const GUARANTEES = {
  A0: 'The same reply gets the same verdict on each route',
  A1: 'An accepted value is a whole answer of the agent, never a draft, a part or an echoed sample',
  A2: 'A valid answer in an unexpected place of the reply is accepted and labelled, in the first call',
  A3: 'A complete answer is accepted whatever its length or stop reason, and a refusal is not',
  A4: 'Several different answers in one reply are refused as ambiguous',
  A5: 'A schema that no value satisfies is refused before an agent or a model starts',
  A6: "A service's refusal of a schema or a mode leads to the next mode",
  A7: 'An answer that cannot be stored is kept as evidence, and the model gets its path',
  A8: 'A model that works with tools ends with an accepted answer, or with the reason, within its steps',
  A9: 'An element that is given before its list ends is valid and a part of the answer, or the loop over elements fails',
  B1: 'Each failure names its true cause',
  B2: 'Each refusal names the path, the value, the attempts and the next step',
  B3: 'An unknown option is refused by name before any input or output',
  B4: 'Usage that a service does not report is absent, not 0',
  C1: 'A reply of a model or a tool is bounded in bytes and time',
  C2: 'Keys and declared secrets are masked in each sink, and no redirect carries a key or a prompt to another origin',
  C3: 'A spend limit is exceeded by at most one request',
  C4: 'A path that is handed to another program or written to stays below its trusted root, through links too',
  C5: 'A file that Truecast executes or takes settings from is a sensitive change, and read-only in `head`',
  C6: 'A file of a repository names no variable of the environment for a stranger',
  C7: 'What a guest leaves behind gives no more rights on the host',
  C8: 'A declared secret does not enter a merge or a published branch',
  C9: 'An attached file is read by its path, and never merged, published or left behind',
  C10: 'A function of the program that a coding agent calls runs only with arguments that fit its schema, and its result is bounded and masked',
  D1: 'A commit of the agent is on the named branch, or kept below `refs/truecast/recovered/` and reported',
  D2: "The agent's git works in its worktree, never in the user's checkout",
  D3: 'After a `kill -9`, the next start or `clean` finishes or undoes what was half written, and reports it',
  D4: 'A stored session, log or recording is complete, or a warning says that it is not',
  D5: 'Each command ends with its documented exit code and its whole output, on a store of any size',
  D6: 'Rows of each released version are read or refused at the start, and an unreadable row ends its turn with an error',
  D7: 'What was checked is what lands: a verdict is about exactly the commit that is merged, published or returned',
  D8: 'Nothing of a run that ended with a question or a refusal is merged or published, and its work is kept',
  D9: 'What a read-only run writes is thrown away: no file, commit, branch or worktree of it is left',
  D10: 'Work that has landed is never reported as a failure: what fails after the landing is a warning',
  D11: 'A run with an `id` whose process is killed lands once when it is executed again, with every commit of its agents',
  E1: 'One owner, chat or client cannot stop or slow another',
  E2: 'The memory of a stream, an answer or a transcript is bounded, also for a slow reader',
  E3: 'No request holds the event loop for more than 30 ms',
  E4: 'What a request contains reaches the model, or is refused or named in a header',
  F1: 'A pattern reaches a server of unknown make only in a form that every tried engine keeps',
  F2: 'A format reaches such a server only as a pattern',
  F3: 'A bound that one of the tried engines refuses, drops or turns against right answers does not reach it',
  F4: 'A reply that repeats itself without end is ended early and its request with it, and a right answer never is',
  F5: 'A reply that was cut does not go back, and a value that breaks the schema goes back once',
  F6: 'A mode that a server ignored once is not used again, and a cut reply proves none',
  F7: 'What an engine holds can be asked, by questions that end none',
  F8: 'A schema in a prompt is told as a type, and a reply that repeats the prompt is no answer',
  F9: 'Schemas of tools reach such a server in the same form as those of answers',
  F10: 'A full window is named, and a chat goes on in it',
  F11: 'An engine that loads its model is waited for, and this counts as no attempt',
  F12: 'What an engine was not asked to hold is named, and a path of its machine is not',
  F13: 'The arguments of a forced function are judged as an answer is',
} as const;

/** Id of a guarantee. */
export type GuaranteeId = keyof typeof GUARANTEES;
