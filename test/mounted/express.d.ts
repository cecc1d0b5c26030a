/** Types of Express, as far as the tests use it. */
declare module 'express' {
  import type { RequestListener } from 'node:http';

  interface App extends RequestListener {
    use(path: string, handler: (...values: never) => unknown): App;
    use(handler: (...values: never) => unknown): App;
    all(path: string, handler: (...values: never) => unknown): App;
  }
  function express(): App;
  namespace express {
    function json(): RequestListener;
  }
  export default express;
}
