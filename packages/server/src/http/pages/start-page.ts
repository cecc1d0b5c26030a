/** Page at `/` of a server without the console. Plain HTML: it takes no token and runs no script. */

const STYLE =
  ':root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}pre{overflow:auto}a{color:inherit}';

/** Renders the page. It is the same for every visitor. */
export function startPage(): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Truecast</title><style>${STYLE}</style></head><body>
<h1>Truecast</h1><p>This server answers chats, and validates each answer by its schema. See its <a href="docs">API</a>.</p>
<p>There is no console here. In a checkout, <code>npm run build</code> builds it for <code>truecast serve</code>. In a program, <code>createChatServer({ console: true })</code> enables it on its own port.</p>
<p>Start a chat, with a token that <code>truecast token create</code> prints:</p>
<pre>curl "$URL/api/chats" -H "authorization: Bearer $TRUECAST_TOKEN" \\
  -H 'content-type: application/json' -d '{"content":"Hello"}'</pre></body></html>`;
}
