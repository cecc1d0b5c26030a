/** Health check of a container: exits with 0 if `/healthz` on the port answers with 200. */
const { ok } = await fetch(`http://127.0.0.1:${process.argv[2]}/healthz`);
process.exit(ok ? 0 : 1);
