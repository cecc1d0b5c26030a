/** Next step for what does not exist: the list that it would be in. Pure. */

/** A list, and the server's detail in the words of the console. */
export interface Missing {
  /** Undefined: the server's detail is shown. */
  readonly text?: string;
  readonly list: string;
  readonly label: string;
}

const BY_CODE: ReadonlyMap<string, Missing> = new Map([
  ['chat_not_found', { text: 'Chat not found.', list: '/chats', label: 'Show all chats' }],
  ['request_not_found', { text: 'Request not found.', list: '/requests', label: 'Show all receipts' }],
]);
/** Other problems do not name the kind of what is missing. The address of the page does. */
const BY_PAGE: ReadonlyMap<string, Missing> = new Map([
  ['chats', { list: '/chats', label: 'Show all chats' }],
  ['requests', { list: '/requests', label: 'Show all receipts' }],
  ['runs', { list: '/runs', label: 'Show all runs' }],
  ['stage', { list: '/stage', label: 'Show all ensemble runs' }],
  ['scenarios', { list: '/stage', label: 'Show all ensemble runs' }],
  ['schemas', { list: '/quality?by=name', label: 'Show all schemas' }],
]);
const START: Missing = { list: '/', label: 'Open the start page' };

/** Returns the next step for a problem with the status 404. */
export function missingOf(code: string | undefined, path: string): Missing {
  return BY_CODE.get(code ?? '') ?? BY_PAGE.get(path.split('/')[1] ?? '') ?? START;
}
