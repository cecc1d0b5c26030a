/** Page at `/`: takes the access token, checks it, and shows how to call the server. */
import { createHash } from 'node:crypto';
import { contentPolicy } from './content-policy.ts';

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem}
label{display:block;margin:1.5rem 0 .3rem}input{width:100%;box-sizing:border-box;font:14px ui-monospace,monospace;padding:.5rem}
pre{font:13px/1.5 ui-monospace,monospace;overflow:auto;padding:.75rem;border:1px solid color-mix(in srgb,currentColor 20%,transparent);border-radius:6px}a{color:inherit}`;

/**
 * Runs in the browser. The token arrives in the fragment, which browsers never send, and is removed
 * from the address before the first request. It is inserted into the page only as text.
 */
const SCRIPT = `const KEY='truecast-token',field=document.getElementById('token'),state=document.getElementById('state'),curl=document.getElementById('curl');
const given=new URLSearchParams(location.hash.slice(1)).get('token');
if(given!==null){sessionStorage.setItem(KEY,given);history.replaceState(null,'',location.pathname)}
field.value=sessionStorage.getItem(KEY)??'';
const show=async()=>{const token=/^[\\w-]+$/.test(field.value.trim())?field.value.trim():'';
sessionStorage.setItem(KEY,token);
curl.textContent="curl "+location.origin+"/api/chats -H 'authorization: Bearer "+(token||'TOKEN')+"' \\\\\\n  -H 'content-type: application/json' -d '{\\"content\\":\\"Hello\\"}'";
if(token===''){state.textContent='';return}
const {ok}=await fetch('/api/models',{headers:{authorization:'Bearer '+token}});
state.textContent=ok?'The token is valid.':'The server does not accept this token.'};
field.addEventListener('change',show);show();`;

/** Content Security Policy of the page: only its own script runs, and only this server is called. */
export const START_PAGE_POLICY: string = contentPolicy([
  "style-src 'unsafe-inline'",
  `script-src 'sha256-${createHash('sha256').update(SCRIPT).digest('base64')}'`,
]);

/** Renders the page. It is the same for every visitor. */
export function startPage(): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Truecast</title><style>${STYLE}</style></head><body>
<h1>Truecast</h1><p>This server answers chats, and validates each answer by its schema. See its <a href="/docs">API</a>.</p>
<label for="token">Access token</label><input id="token" autocomplete="off" spellcheck="false">
<p><code>truecast serve</code> prints it in its terminal, and <code>truecast token create</code> makes another. <b id="state" role="status"></b></p>
<p>Start a chat:</p><pre id="curl">curl /api/chats -H 'authorization: Bearer TOKEN'</pre>
<script>${SCRIPT}</script></body></html>`;
}
