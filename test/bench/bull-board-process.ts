import { createBullBoard } from "@bull-board/api";
import { BullMQAdapter } from "@bull-board/api/bullMQAdapter";
import { HonoAdapter } from "@bull-board/hono";
import { serve } from "@hono/node-server";
import { serveStatic } from "@hono/node-server/serve-static";
import { Queue } from "bullmq";
import { Hono } from "hono";
import { Redis } from "ioredis";

/*
 * bull-board as its users start it, over queues of a Redis: `REDIS_URL NAME...`. Prints its link.
 */
const [url = "", ...names] = process.argv.slice(2);
const connection = new Redis(url, { maxRetriesPerRequest: null });
const adapter = new HonoAdapter(serveStatic);
const queues = names.map(
  (name) => new BullMQAdapter(new Queue(name, { connection }), { readOnlyMode: true }),
);
createBullBoard({ queues, serverAdapter: adapter });
const app = new Hono().route("/", adapter.setBasePath("/").registerPlugin());
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => {
  console.log(`bull-board: http://127.0.0.1:${port}/`);
});
