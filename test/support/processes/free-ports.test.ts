import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { promisify } from "node:util";
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

it("free ports of a process are not those of another one", async () => {
  const [own = 0] = await freePorts(1);
  const url = new URL("free-ports.ts", import.meta.url).href;
  // As one whose process id would give it the same part.
  const script = `Object.defineProperty(process, "pid", { value: ${process.pid} });
    const { freePorts } = await import("${url}");
    console.log(...(await freePorts(3)));`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script]);
  const part = (port: number) => Math.floor(port / 200);
  for (const port of stdout.split(" ").map(Number)) expect(part(port)).not.toBe(part(own));
});
