import { once } from "node:events";
import { Agent, get } from "node:https";

/*
 * The least that so many idle watches cost: a Node.js process that holds one stream over TLS for each, and a second
 * connection for requests, as the relay does. `PORT COUNT`, with the authority on standard input. Says `open` to the
 * parent.
 */
const [port = 0, count = 0] = process.argv.slice(2).map(Number);
let ca = "";
for await (const chunk of process.stdin) ca += String(chunk);

async function open(path: string, token: string): Promise<void> {
  const agent = new Agent({ ca, keepAlive: true });
  const request = get({
    host: "127.0.0.1",
    port,
    path,
    agent,
    headers: { authorization: `Bearer ${token}` },
  });
  const [response] = await once(request, "response");
  response.resume();
}

for (let at = 0; at < count; at += 50) {
  const some = Array.from({ length: Math.min(50, count - at) }, (_, index) => `bare-${at + index}`);
  await Promise.all(
    some.flatMap((token) => [
      open("/", token),
      open("/api/v1/nodes?watch=true&resourceVersion=1000000", token),
    ]),
  );
}
// Without any stream it would end.
setInterval(() => undefined, 60_000);
process.send?.("open");
