import { startApiServer } from "../../infra/playground/apiserver/entry.ts";

/** The embedded API server in a process of its own, so that its memory is its own as well; ends with standard input. */
const startedAt = performance.now();
const server = await startApiServer({ name: "bench" });
const startMs = performance.now() - startedAt;
process.stdout.write(`${JSON.stringify({ url: server.url, token: server.token, startMs })}\n`);
process.stdin.resume();
process.stdin.once("end", () => void server.stop().then(() => process.exit()));
