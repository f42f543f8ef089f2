import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { freePorts } from "./free-ports.ts";

it("free ports are different each time, and none that the kernel gives to connections", async () => {
  const ports = [...(await freePorts(3)), ...(await freePorts(2))];
  expect(new Set(ports).size).toBe(5);
  for (const port of ports) expect(port).toBeLessThan(32_768);
});

it("free ports leave out those with a listener", async () => {
  const [next = 0] = await freePorts(1);
  const server = createServer().listen(next + 1, "127.0.0.1");
  await once(server, "listening");
  expect(await freePorts(1)).not.toContain(next + 1);
  server.close();
});
