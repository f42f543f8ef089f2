import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/*
 * An API server in a process of its own that answers every read after 5 ms with a MachinePool of the asked name. Sends
 * its port to the parent.
 */
const ANSWER_MS = 5;

const server = createServer((request, response) => {
  const name = new URL(request.url ?? "/", "http://bench").pathname.split("/").at(-1) ?? "";
  setTimeout(() => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(
      JSON.stringify({
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "MachinePool",
        metadata: { name, namespace: "default", uid: "bench", resourceVersion: "1" },
      }),
    );
  }, ANSWER_MS);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.once("disconnect", () => process.exit(0));
